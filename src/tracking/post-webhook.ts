import { messageOf, systemCode } from '../../base/errors/errors.js'

/** Time for one answer, in milliseconds. */
const timeoutMs = 10_000

/** Posts JSON to an address. @returns the reason why the address did not take it; undefined if it did */
export async function postWebhook(address: string, body: unknown, signal: AbortSignal): Promise<string | undefined> {
  try {
    // A redirect could lead anywhere, and is not followed.
    const answer = await fetch(address, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'user-agent': 'pipeline' },
      body: JSON.stringify(body),
      redirect: 'manual',
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
    })
    await answer.body?.cancel()
    return answer.ok ? undefined : `${new URL(address).origin} answered with status ${answer.status}`
  } catch (error) {
    // Behind "fetch failed" stands what happened to the connection.
    const cause = error instanceof Error ? error.cause : undefined
    const reason = cause instanceof Error ? cause.message || systemCode(cause) : undefined
    return `${new URL(address).origin}: ${reason || messageOf(error)}`
  }
}
