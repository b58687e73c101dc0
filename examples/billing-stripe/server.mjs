// Sells credits: Stripe calls this server after a payment, and this server gives the account its credits.
// node server.mjs
import { createHmac, timingSafeEqual } from 'node:crypto'
import { createServer } from 'node:http'

const { BASE_URL = '', API_KEY = '', STRIPE_WEBHOOK_SECRET = '', PORT = '4242' } = process.env

/** Checks `Stripe-Signature` (docs.stripe.com/webhooks, "Verify webhook signatures manually"): at most five minutes old. */
function isFromStripe(body, header = '') {
  const parts = header.split(',').map((part) => part.split('='))
  const time = parts.find(([name]) => name === 't')?.[1] ?? ''
  if (Math.abs(Date.now() / 1_000 - Number(time)) > 300) return false
  const expected = createHmac('sha256', STRIPE_WEBHOOK_SECRET).update(`${time}.${body}`).digest()
  return parts
    .filter(([name]) => name === 'v1')
    .some(([, hex = '']) => {
      const sent = Buffer.from(hex, 'hex')
      return sent.length === expected.length && timingSafeEqual(sent, expected)
    })
}

/** Gives credits once for a payment: its id is the idempotency key. */
async function giveCredits({ id, metadata }) {
  const response = await fetch(`${BASE_URL}/accounts/${metadata.account_id}/credits`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${API_KEY}`,
      'content-type': 'application/json',
      'idempotency-key': id,
    },
    body: JSON.stringify({ amount: metadata.credits }),
  })
  // Stripe sends the event again after any answer but 2xx.
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`)
}

const server = createServer(async (request, response) => {
  const chunks = []
  for await (const chunk of request) chunks.push(chunk)
  const body = Buffer.concat(chunks).toString()
  if (!isFromStripe(body, request.headers['stripe-signature'])) return response.writeHead(400).end()
  const { type, data } = JSON.parse(body)
  try {
    if (type === 'checkout.session.completed' && data.object.payment_status === 'paid')
      await giveCredits(data.object)
    response.writeHead(200).end()
  } catch (error) {
    console.error(error.message)
    response.writeHead(502).end()
  }
})
server.listen(Number(PORT), () => console.log(`listening on ${server.address().port}`))
