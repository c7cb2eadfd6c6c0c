import type { ClientBase } from 'pg'

/** Sends one statement and returns its rows. A text with several statements and no values returns the rows of the last one. */
export type Query = <Row>(text: string, values?: readonly unknown[]) => Promise<readonly Row[]>

/** The time without a reply after which a process asks whether the server still works on its statement, in milliseconds. */
const silentMs = 15_000

/**
 * Returns the function that sends statements over a connection. A statement ends with an error if its connection is lost without a sign, which the
 * system notices after minutes, and behind a proxy never.
 *
 * @param isAtWork tells over another connection whether the server works on a statement of this one. Asked when a reply is late
 */
export function makeQuery(client: ClientBase, isAtWork: () => Promise<boolean>): Query {
  let lost: Error | undefined
  return async <Row>(text: string, values: readonly unknown[] = []) => {
    // Nothing that is sent now would have a reply.
    if (lost !== undefined) throw lost
    const reply = await awaitReply(client.query(text, [...values]), isAtWork, error => (lost = error))
    return ([reply].flat().at(-1)?.rows ?? []) as readonly Row[]
  }
}

function awaitReply<Reply>(
  reply: Promise<Reply>,
  isAtWork: () => Promise<boolean>,
  onLost: (error: Error) => void,
): Promise<Reply> {
  return new Promise((resolve, reject) => {
    let isThere = false
    const lookLater = (): NodeJS.Timeout => setTimeout(() => void look(), silentMs).unref()
    let timer = lookLater()
    const look = async (): Promise<void> => {
      const isWorking = await isAtWork()
      if (isThere) return
      if (isWorking) timer = lookLater()
      else {
        const error = Object.assign(new Error('the connection was lost without a sign'), { code: 'ETIMEDOUT' })
        onLost(error)
        reject(error)
      }
    }
    reply.then(resolve, reject).finally(() => {
      isThere = true
      clearTimeout(timer)
    })
  })
}

/** A transaction that is durable. */
export interface Committed {
  /** The position in the server's log behind the transaction. */
  readonly written: string | undefined
  readonly commitMs: number
}

/** SQL that reads the position in the server's log up to which everything is durable. */
export const readPosition = 'SELECT pg_current_wal_flush_lsn() AS written'

/** Runs `work` in a transaction. */
export async function transact<T>(
  query: Query,
  begin: string,
  work: (query: Query) => Promise<T>,
  commit = 'COMMIT',
): Promise<Committed & { readonly value: T }> {
  await query(begin)
  let value: T
  try {
    value = await work(query)
  } catch (error) {
    // If the connection is gone, the server rolls back the transaction.
    await query('ROLLBACK').catch(() => undefined)
    throw error
  }
  const began = performance.now()
  const [position] = await query<{ written?: string }>(commit)
  return { value, written: position?.written, commitMs: performance.now() - began }
}
