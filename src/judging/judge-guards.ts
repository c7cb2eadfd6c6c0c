import { storedText } from '../../base/errors/option-words.js'
import type { JudgeGuard, JudgePrompt, JudgeReply, KnownQuestion } from '../../stages/judge/define/judge-model.js'

export interface JudgeGuardsParts {
  /** The judge model's name. */
  readonly judge: string
  /** The command that scores again. */
  readonly again: () => string
  readonly note: (text: string) => void
  /** Stops the judge for all tasks. */
  readonly stop: (reason: string) => void
}

/** Asks a question, and tells whether the store had its reply. */
export type AskKnown = (prompt: JudgePrompt) => Promise<{ readonly reply: JudgeReply; readonly isStored: boolean }>

/**
 * Watches the judge of one judgement. It asks questions with known answers before the first call of each guard, and
 * counts calls that fail in a row. A judge that fails either is asked nothing more.
 */
export class JudgeGuards {
  readonly #parts: JudgeGuardsParts
  readonly #checks = new Map<string, Promise<string | undefined>>()
  readonly #failures = new Map<string, number>()
  readonly #trusted = new Set<string>()

  constructor(parts: JudgeGuardsParts) {
    this.#parts = parts
  }

  /** Whether the questions of this guard were answered as they should be. */
  isTrusted({ name }: JudgeGuard): boolean {
    return this.#trusted.has(name)
  }

  /** Returns the reason why no call of this guard may be sent; undefined if calls may be sent. */
  async check(guard: JudgeGuard, ask: AskKnown): Promise<string | undefined> {
    const known = this.#checks.get(guard.name) ?? this.#askAll(guard, ask)
    this.#checks.set(guard.name, known)
    const why = await known
    if (why === undefined) this.#trusted.add(guard.name)
    return why
  }

  /** Counts the reply to a call that was sent. */
  count({ name, misread, maxFailures }: JudgeGuard, reply: JudgeReply): void {
    const why = reply.type === 'failed' ? reply.reason : misread(reply.text)
    const failures = why === undefined ? 0 : (this.#failures.get(name) ?? 0) + 1
    this.#failures.set(name, failures)
    if (why !== undefined && failures === maxFailures)
      this.#parts.stop(this.#explain(`${failures} replies in a row failed, the last one: ${why}`))
  }

  async #askAll({ known }: JudgeGuard, ask: AskKnown): Promise<string | undefined> {
    const answers = await Promise.all((known?.() ?? []).map(question => findMistake(question, ask)))
    const mistake = answers.find(answer => answer !== undefined)
    return mistake === undefined ? undefined : this.#explain(`${mistake}, in a question with a known answer`)
  }

  #explain(why: string): string {
    const { judge, note } = this.#parts
    const again = this.#parts.again()
    note(
      `the judge ${judge} is asked nothing more: ${why}. All answers are kept. Mend the judge model or the prompt, and score with:   ${again}`,
    )
    return storedText(`the judge is asked nothing more: ${why}. Score again with: ${again}`)
  }
}

/**
 * Asks one question. A wrong reply of the store may come from a server that was mended since, so the question is then
 * asked again as another sample. A call that failed says nothing of the judge's grades.
 */
async function findMistake({ prompt, misjudge }: KnownQuestion, ask: AskKnown): Promise<string | undefined> {
  for (let sample = 0; ; sample += 1) {
    const { reply, isStored } = await ask({ ...prompt, sample })
    if (reply.type === 'failed') return undefined
    const mistake = await misjudge(reply.text)
    if (mistake === undefined || !isStored) return mistake
  }
}
