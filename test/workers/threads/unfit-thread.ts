throw new Error('this thread cannot begin');
