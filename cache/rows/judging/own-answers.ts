import type { JudgeCursor } from '../../store.js'

/** The number of requests that are remembered. Older ones are found among those that any process answered. */
const most = 10_000

/** The requests of one search, and where the next one begins. */
export interface OwnPage {
  readonly requests: readonly number[]
  readonly next: number
  readonly isLast: boolean
}

/** Remembers which requests this process has answered, so that its judge scores these before those of other processes. */
export class OwnAnswers {
  #requests: number[] = []
  /** The number of requests that were added, those included that are forgotten. */
  #count = 0

  get count(): number {
    return this.#count
  }

  /** Adds requests whose answers are committed. */
  add(requests: readonly number[]): void {
    this.#count += requests.length
    this.#requests.push(...requests)
    // Most calls move nothing.
    if (this.#requests.length >= 2 * most) this.#requests = this.#requests.slice(-most)
  }

  /** Lists at most `limit` requests after the first `from` ones. */
  list(from: number, limit: number): OwnPage {
    const forgotten = this.#count - this.#requests.length
    const start = Math.max(0, from - forgotten)
    const requests = this.#requests.slice(start, start + limit)
    const next = forgotten + start + requests.length
    return { requests, next, isLast: next === this.#count }
  }
}

/** The mean time in milliseconds for which answers of other processes are left to them. It varies, so that judges do not all look at once. */
const othersMs = 3_000

/**
 * Returns the last one of the answers that a search reads, whoever stored them. Undefined if it reads none but own ones.
 *
 * @param own the own answers that it reads. Undefined: it reads all answers at once
 * @param newest the newest answer in the store
 */
export const findLastToRead = (
  { others }: JudgeCursor,
  own: OwnPage | undefined,
  newest: number,
): number | undefined => {
  if (own === undefined) return newest
  return others !== undefined && performance.now() >= others.due ? others.response : undefined
}

/** A doc in its run. */
export interface DocInTask {
  readonly task: number
  readonly doc: number
}

/** The result of a search: the docs of own answers, and those of the next `limit` answers up to `until`, in their order. */
interface ReadAnswers {
  readonly own: OwnPage | undefined
  readonly ownDocs: readonly DocInTask[]
  readonly answers: readonly (DocInTask & { readonly seq: number })[]
  readonly limit: number
  readonly until: number | undefined
  readonly newest: number
}

/** Lists the docs that a search has found, each once, and moves the cursor behind them. `done` is false if the limit left some. */
export function endSearch(
  cursor: JudgeCursor,
  { own, ownDocs, answers, limit, until, newest }: ReadAnswers,
): { readonly docs: readonly DocInTask[]; readonly next: JudgeCursor; readonly done: boolean } {
  const stoppedAt = answers.length < limit ? undefined : answers.at(-1)?.seq
  const areOthersRead = cursor.others === undefined || (until !== undefined && stoppedAt === undefined)
  const docs = new Map([...ownDocs, ...answers].map(({ task, doc }) => [`${task}/${doc}`, { task, doc }]))
  return {
    docs: [...docs.values()],
    next: {
      ...cursor,
      response: stoppedAt ?? until ?? cursor.response,
      ...(own && { own: own.next, others: areOthersRead ? waitForOthers(newest) : cursor.others }),
    },
    done: stoppedAt === undefined && own?.isLast !== false,
  }
}

/** Plans when answers of other processes up to this one are read. */
const waitForOthers = (response: number): NonNullable<JudgeCursor['others']> => ({
  response,
  due: performance.now() + othersMs * (0.5 + Math.random()),
})
