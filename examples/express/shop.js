import { open } from 'https://trust.example.com/sdk/v1.js';

const button = document.getElementById('confirm');
const status = document.getElementById('status');
const order = '1042';

button.addEventListener('click', async () => {
  const made = await fetch(`/orders/${order}/check`, { method: 'POST' });
  const { url } = await made.json();
  const result = await open({ url });
  if (result.status === 'canceled') return;
  if (result.status === 'error') {
    // The detail is for developers.
    console.error(result.error);
    status.textContent = 'The check could not be displayed. Please try again later.';
    return;
  }
  // The person is done. The server learns the outcome by its webhook, a moment later.
  status.textContent = 'Thank you. One moment…';
  for (let tries = 0; tries < 60; tries += 1) {
    const answer = await (await fetch(`/orders/${order}`)).json();
    if (answer.status !== 'open') {
      status.textContent = `Your check: ${answer.status}`;
      return;
    }
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
  status.textContent = 'Thank you. You get a mail with the outcome.';
});
