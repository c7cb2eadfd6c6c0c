import { GroupCommit } from '../../connection/group-commit.js'
import type { Context } from '../../connection/context.js'
import type { AnswerSpill, SpillRange } from '../../../waiting-answers/answer-spill.js'
import { isUnwritable } from '../../../waiting-answers/unwritable.js'
import { commitAnswers, type LeasedAnswer } from './answers.js'

/** The maximum total size of the answers in one transaction, in bytes. A larger answer gets a separate transaction. */
const mostBytes = 16 * 2 ** 20

/** An answer that waits for its transaction. Its text may be on disk. */
interface WaitingAnswer extends Pick<LeasedAnswer, 'request' | 'lease'> {
  readonly bytes: number
  text?: Pick<LeasedAnswer, 'digest' | 'body' | 'meta'> | undefined
  range?: SpillRange
}

/**
 * Stores answers, several in one transaction. While the server is unreachable or its disk is full, answers are written to a local file, so that they
 * survive the process.
 * The number of answers in memory is limited.
 */
export class AnswerQueue {
  readonly #db: Context['db']
  readonly #spill: AnswerSpill
  readonly #mostInMemory: number
  readonly #commits: GroupCommit<WaitingAnswer, boolean>
  readonly #waiting = new Set<WaitingAnswer>()
  #bytesInMemory = 0

  /** @param options.mostInMemory the size of the answers that may wait in memory while the server is away, in bytes */
  constructor(
    context: Context,
    { spill, mostInMemory }: { readonly spill: AnswerSpill; readonly mostInMemory: number },
  ) {
    this.#db = context.db
    this.#spill = spill
    this.#mostInMemory = mostInMemory
    this.#commits = new GroupCommit(
      // The texts are read again for each attempt, so that none of them is in memory between two attempts.
      inputs => commitAnswers(context, inputs, () => inputs.map(input => this.#load(input))),
      { weigh: ({ bytes }) => bytes, most: mostBytes },
    )
    this.#db.onAway(() => {
      for (const waiting of this.#waiting) this.#save(waiting)
    })
  }

  /** Resolves when the answer is durable. @returns whether it is the first for its request */
  add({ lease, request, ...text }: LeasedAnswer): Promise<boolean> {
    const waiting: WaitingAnswer = { request, lease, text, bytes: 2 * (text.body.length + text.meta.length) }
    this.#waiting.add(waiting)
    this.#bytesInMemory += waiting.bytes
    if (this.#db.isAway) this.#save(waiting)
    return this.#commits.add(waiting).then(
      isFirst => {
        this.#leave(waiting)
        if (waiting.range !== undefined) this.#spill.forget(waiting.range)
        return isFirst
      },
      (error: unknown) => {
        // The file keeps the answer for the next process.
        if (isUnwritable(error)) this.#save(waiting)
        this.#leave(waiting)
        throw error
      },
    )
  }

  async flush(): Promise<void> {
    await this.#commits.flush()
    this.#spill.close()
  }

  #save(waiting: WaitingAnswer): void {
    const { text, lease } = waiting
    if (text === undefined || waiting.range !== undefined) return
    try {
      waiting.range = this.#spill.append({ key: lease.key, ...text })
    } catch {
      // On a full disk, the answer stays in memory.
      return
    }
    if (this.#bytesInMemory > this.#mostInMemory) this.#drop(waiting)
  }

  #drop(waiting: WaitingAnswer): void {
    if (waiting.text !== undefined) this.#bytesInMemory -= waiting.bytes
    waiting.text = undefined
  }

  #leave(waiting: WaitingAnswer): void {
    this.#waiting.delete(waiting)
    this.#drop(waiting)
  }

  #load({ request, lease, text, range }: WaitingAnswer): LeasedAnswer {
    if (text !== undefined) return { request, lease, ...text }
    if (range === undefined) throw new Error('internal error: an answer is neither in memory nor on disk')
    const { digest, body, meta } = this.#spill.read(range)
    return { request, lease, digest, body, meta }
  }
}
