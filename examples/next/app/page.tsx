'use client';

import { useTrustCheck } from '@trustcheck/web/react';
import { useState } from 'react';

/** A page that is rendered on the server, and opens the check in the browser. */
export default function Page() {
  const { open } = useTrustCheck();
  const [message, setMessage] = useState('');
  const confirm = async (): Promise<void> => {
    const body = JSON.stringify({ order: '1042' });
    const { url } = (await (await fetch('/checks', { method: 'POST', body })).json()) as {
      url: string;
    };
    const result = await open({ url });
    if (result.status === 'error') {
      // For developers; the frame has told the person already.
      console.error(result.error);
      setMessage('The check could not be displayed. Please try again later.');
    } else setMessage(result.status === 'finished' ? 'Thank you' : '');
  };
  return (
    <main>
      <h1>Order 1042</h1>
      <button type="button" onClick={() => void confirm()}>
        Confirm who you are
      </button>
      <p role="status">{message}</p>
    </main>
  );
}
