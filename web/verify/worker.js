import { judge } from './judge.ts';

// One question, one answer: the page makes a worker for each, and ends it.
addEventListener('message', ({ data }) => {
  void judge(data).then((answer) => postMessage(answer));
});
