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

/** The control questions of a guard that were answered rightly at first. */
interface AskedQuestions {
  readonly known: readonly { readonly question: KnownQuestion; mistakes: number }[]
  /** The calls that were queued since. */
  calls: number
  /** The last sample of a question that was sent again. */
  sample: number
}

/** The numbers of calls after which the control questions are sent again, and the interval between later ones. */
const recheckAfter = { first: [25, 50], every: 100 }

const isRecheckDue = (calls: number): boolean =>
  recheckAfter.first.includes(calls) || (calls > 0 && calls % recheckAfter.every === 0)

/**
 * Watches the judge of one judgement. It sends control questions before the first call of each guard and again along the run, and counts failed calls,
 * both consecutive and recent. A judge that fails a check is stopped.
 */
export class JudgeGuards {
  readonly #parts: JudgeGuardsParts
  readonly #checks = new Map<string, Promise<string | undefined>>()
  readonly #failures = new Map<string, number>()
  /** The recent calls of each guard. True means failed. */
  readonly #recent = new Map<string, boolean[]>()
  readonly #stopped = new Set<string>()
  readonly #trusted = new Set<string>()
  readonly #questions = new Map<string, AskedQuestions>()
  readonly #rechecks = new Set<Promise<void>>()

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

  /**
   * Counts a call that was queued, and queues the control questions again from time to time: a judge may break during a run. They are sent between the
   * calls before and after them.
   */
  countQueued({ name }: JudgeGuard, ask: AskKnown): void {
    const questions = this.#questions.get(name)
    if (questions === undefined || !isRecheckDue(++questions.calls)) return
    const recheck = this.#askAgain(name, questions, ask)
    this.#rechecks.add(recheck)
    const forget = (): boolean => this.#rechecks.delete(recheck)
    recheck.then(forget, forget)
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

  /** Waits for control questions in flight. An interruption ends them, too, and an error of the store ends the calls themselves. */
  async settle(): Promise<void> {
    await Promise.allSettled(this.#rechecks)
  }

  /** One mistake may be chance, so that another reply must confirm it: of a further sample, or of the next time. */
  async #askAgain(name: string, questions: AskedQuestions, ask: AskKnown): Promise<void> {
    const check = async (known: AskedQuestions['known'][number]): Promise<void> => {
      const mistake = await findFreshMistake(known.question, questions, ask)
      known.mistakes = mistake === undefined ? 0 : known.mistakes + 1
      if (mistake === undefined || this.#stopped.has(name)) return
      if (known.mistakes === 1) return check(known)
      this.#stopped.add(name)
      const why = `${mistake}, in a question that it answered rightly before. Verdicts since then may be wrong, too`
      this.#parts.stop(this.#explain(why))
    }
    await Promise.all(questions.known.map(check))
  }

  async #askAll({ name, known }: JudgeGuard, ask: AskKnown): Promise<string | undefined> {
    const questions = known?.() ?? []
    const answers = await Promise.all(questions.map(question => findMistake(question, ask)))
    const mistake = answers.find(answer => answer !== undefined)
    if (mistake === undefined && questions.length > 0)
      this.#questions.set(name, {
        known: questions.map(question => ({ question, mistakes: 0 })),
        ...{ calls: 0, sample: 0 },
      })
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

/** Sends one control question as a sample that the store does not have, so that the judge of now answers. */
async function findFreshMistake(
  { prompt, misjudge }: KnownQuestion,
  questions: AskedQuestions,
  ask: AskKnown,
): Promise<string | undefined> {
  for (;;) {
    questions.sample += 1
    const { reply, isStored } = await ask({ ...prompt, sample: questions.sample })
    if (reply.type === 'failed') return undefined
    if (!isStored) return misjudge(reply.text)
  }
}
