import { storedText } from '../../base/errors/option-words.js'
import type { JudgeGuard, JudgePrompt, JudgeReply, KnownQuestion } from '../../stages/judge/define/judge-model.js'

export interface JudgeGuardsParts {
  /** The judge model's name. */
  readonly judge: string
  /** The command that scores again. */
  readonly again: () => string
  readonly note: (text: string) => void
  /** Called when the judge is stopped, for one metric or for all, with the reason. */
  readonly onStopped: (why: string) => void
  /** Stops the judge for all tasks. */
  readonly stop: (reason: string) => void
}

/** Asks a question, and tells whether the store had its reply. */
export type AskKnown = (prompt: JudgePrompt) => Promise<{ readonly reply: JudgeReply; readonly isStored: boolean }>

/** The number of failed calls, among the last ones, that stops a judge although they were not in a row. */
const mostFailures = 50

/**
 * Watches the judge of one judgement. It sends control questions before the first call of each guard, and counts failed calls, both consecutive and
 * recent. A judge that fails either check is stopped.
 */
export class JudgeGuards {
  readonly #parts: JudgeGuardsParts
  readonly #checks = new Map<string, Promise<string | undefined>>()
  readonly #failures = new Map<string, number>()
  /** The recent calls of each guard. True means failed. */
  readonly #recent = new Map<string, boolean[]>()
  readonly #stopped = new Set<string>()
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
    const check = this.#checks.get(guard.name) ?? this.#askAll(guard, ask)
    this.#checks.set(guard.name, check)
    const why = await check
    if (why === undefined) this.#trusted.add(guard.name)
    return why
  }

  /** Counts the reply to a call that was sent. */
  count({ name, misread, maxFailures }: JudgeGuard, reply: JudgeReply): void {
    const why = reply.type === 'failed' ? reply.reason : misread(reply.text)
    const failures = why === undefined ? 0 : (this.#failures.get(name) ?? 0) + 1
    this.#failures.set(name, failures)
    const share = this.#countRecent(name, why !== undefined, maxFailures)
    if (why === undefined || this.#stopped.has(name) || (failures < maxFailures && share === undefined)) return
    this.#stopped.add(name)
    const many = failures >= maxFailures ? `${failures} replies in a row` : (share ?? '')
    this.#parts.stop(this.#explain(`${many} failed, the last one: ${why}`))
  }

  /** Returns `51 of the last 100 replies` if over half of the last calls failed. More calls count if more may fail in a row. */
  #countRecent(name: string, hasFailed: boolean, maxFailures: number): string | undefined {
    const most = Math.max(mostFailures, maxFailures)
    const recent = this.#recent.get(name) ?? []
    this.#recent.set(name, recent)
    recent.push(hasFailed)
    if (recent.length > 2 * most) recent.shift()
    const failed = recent.filter(Boolean).length
    return failed > most ? `${failed} of the last ${recent.length} replies` : undefined
  }

  async #askAll({ known }: JudgeGuard, ask: AskKnown): Promise<string | undefined> {
    const answers = await Promise.all((known?.() ?? []).map(question => findMistake(question, ask)))
    const mistake = answers.find(answer => answer !== undefined)
    return mistake === undefined ? undefined : this.#explain(`${mistake}, in a question with a known answer`)
  }

  #explain(why: string): string {
    const { judge, note, onStopped } = this.#parts
    onStopped(why)
    const again = this.#parts.again()
    note(
      `the judge ${judge} is asked nothing more: ${why}. All answers are kept. Mend the judge model or the prompt, and score with:   ${again}`,
    )
    return storedText(`the judge is asked nothing more: ${why}. Score again with: ${again}`)
  }
}

/**
 * Sends one control question. A wrong stored reply may come from a server that was fixed since, so the question is then sent again as another sample.
 * A failed call does not count as a wrong grade.
 */
async function findMistake({ prompt, misjudge }: KnownQuestion, ask: AskKnown): Promise<string | undefined> {
  for (let sample = 0; ; sample += 1) {
    const { reply, isStored } = await ask({ ...prompt, sample })
    if (reply.type === 'failed') return undefined
    const mistake = await misjudge(reply.text)
    if (mistake === undefined || !isStored) return mistake
  }
}
