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
    status.textContent = result.error.detail;
    return;
  }
  // The person is done. What came of it, the server knows by its webhook.
  status.textContent = 'Thank you. One moment…';
  for (;;) {
    const answer = await (await fetch(`/orders/${order}`)).json();
    if (answer.status === result.outcome) {
      status.textContent = `Your check: ${answer.status}`;
      return;
    }
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
});
