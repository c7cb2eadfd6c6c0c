import { storedText, type CommandLine } from '../../base/errors/option-words.js'
import { Wake } from '../../base/time/wake.js'
import type { ResponseKey } from '../../cache/digest.js'
import { runKey } from '../../cache/keys.js'
import type { FailureClass, JsonObject, ModelIdentity, Run } from '../../cache/records.js'
import type { Store } from '../../cache/store.js'
import type { JudgeGuard, JudgePrompt, JudgeReply } from '../../stages/judge/define/judge-model.js'
import type { ReplyRule } from '../../stages/judge/text/judge-reply.js'
import type { Gate } from '../../stages/model/budget/gate.js'
import { inferRun } from '../../stages/model/infer.js'
import type { InferOutcome } from '../../stages/model/infer-options.js'
import { auxiliaryRun } from '../model/auxiliary-run.js'
import { computeRequestKey, makeDraft, makeJudgeRequest, readReply } from './judge-request.js'
import type { CallOutcome, JudgeRequest } from './judge-request.js'
import { CallLinks } from './call-links.js'
import { OpenCalls, type OpenCall } from './open-calls.js'
import { JudgeGuards, type AskKnown } from './judge-guards.js'
import { JudgeNotes } from './judge-notes.js'
import { inferenceBy, type ModelPlan } from '../model/model-plan.js'
import { observingStore } from '../model/observing-store.js'
import type { Hooks } from '../config/settings.js'
import type { JudgeOverrides } from '../config/values/judge-overrides.js'
import type { Spending } from '../cost/spending.js'

export interface JudgeCallsParts {
  readonly store: Store
  readonly model: ModelPlan
  readonly hooks: Pick<Hooks, 'emit' | 'drain' | 'stop'>
  /** The command's budget. @default no limit */
  readonly spending?: Spending | undefined
  /** The options of the command that scores again. @default the name of the judge's backend */
  readonly again?: CommandLine['options'] | undefined
  /** The judges that people replaced. @default none */
  readonly overrides?: JudgeOverrides | undefined
}

/**
 * Calls the judge model of one judgement. Its calls are items of an auxiliary run, so that they are leased, retried, stored and reused like any other
 * request. The first call creates that run. See `docs/decisions/judge-calls-as-a-run.md`.
 */
export class JudgeCalls {
  readonly #store: Store
  readonly #model: ModelPlan
  readonly #hooks: Pick<Hooks, 'emit' | 'drain' | 'stop'>
  readonly #outcomes = new Map<ResponseKey, Promise<CallOutcome>>()
  readonly #open: OpenCalls
  readonly #wake = new Wake()
  #judged: Run | undefined
  #drafts: OpenCall[] = []
  #loop: Promise<InferOutcome> | undefined
  readonly #abandoned = new AbortController()
  #isFlushing = false
  #isClosed = false
  #fromStore = 0
  #gate: Gate | undefined
  /** Aborted when no further call may be sent. */
  readonly #over = new AbortController()
  #whyOver: CallOutcome | undefined
  readonly #guards: JudgeGuards
  #stopped: string | undefined
  readonly #notes: JudgeNotes
  readonly #sent = new Set<ResponseKey>()
  readonly #links: CallLinks

  private constructor({ store, model, hooks, overrides, again = { judgeModel: model.backend.id } }: JudgeCallsParts) {
    this.#store = store
    this.#open = new OpenCalls(store)
    this.#model = model
    this.#hooks = hooks
    this.#notes = new JudgeNotes(model.identity, hooks, { again, overrides })
    this.#links = new CallLinks({ store, openRun: () => this.#run(), findRun: () => this.#findRun() })
    this.#guards = new JudgeGuards({
      judge: this.label,
      again: () => this.#notes.rescoring,
      onStopped: why => (this.#stopped ??= why),
      note: text => hooks.emit({ type: 'note', text }),
      stop: stopped => this.#end({ stopped }),
    })
  }

  /** @throws PipelineError if money is limited and the judge's price is unknown */
  static async open(parts: JudgeCallsParts): Promise<JudgeCalls> {
    const calls = new JudgeCalls(parts)
    if (parts.spending !== undefined) await calls.#spendFrom(parts.spending)
    return calls
  }

  /** The judge's identity in score keys. */
  get identity(): JsonObject {
    return { model: { ...this.#model.identity }, code: this.#model.code.key }
  }

  /** The judge model. */
  get model(): ModelIdentity {
    return this.#model.identity
  }

  /** The backend and model for messages, such as `openai gpt-4o`. */
  get label(): string {
    return this.#notes.label
  }

  /** The reason why the judge was stopped. Undefined if it was not. */
  get stopped(): string | undefined {
    return this.#stopped
  }

  /** Returns whether a call waits for its reply. */
  get isAsking(): boolean {
    return this.#open.size > 0
  }

  /** Fails calls that would exceed the budget; they are sent at the next start. */
  async #spendFrom(spending: Spending): Promise<void> {
    const onRefused = (message: string, failureClass: FailureClass): void => {
      this.#end({ failure: { class: failureClass, message, attempts: 0 } })
      this.#stopped ??= storedText(message)
      this.#notes.noteRefusal(message)
    }
    this.#gate = await spending.gateOf(this.#model, { onRefused })
    spending.requestsOver.addEventListener('abort', () => {
      const message = storedText(spending.stopped?.message ?? '')
      this.#end({ failure: { class: 'budget', message, attempts: 0 } })
    })
  }

  #end(why: CallOutcome): void {
    this.#whyOver ??= why
    this.#over.abort()
    // Later calls are answered from the store or fail.
    if (this.#loop === undefined) this.#settleOpen(why)
  }

  /** Each task reads a reply by its own rule. @throws Error if the work was interrupted; the doc then has no score yet */
  readonly ask = async (prompt: JudgePrompt, rule?: ReplyRule): Promise<JudgeReply> => {
    const request = makeJudgeRequest(prompt)
    this.#notes.noteOther(prompt)
    const key = computeRequestKey(request, this.#model)
    const { guard } = prompt
    const reason = guard && (await this.#findDistrust(key, guard, rule))
    if (reason !== undefined) return { type: 'failed', reason }
    const before = this.#outcomes.get(key)
    const outcome =
      before ??
      this.#outcome(key, request, () => {
        if (guard !== undefined) this.#guards.countQueued(guard, question => this.#askKnown(question, rule))
      })
    this.#outcomes.set(key, outcome)
    const callOutcome = await outcome
    // Another doc asked the same before, and the call names that one.
    if (before !== undefined && prompt.doc !== undefined && 'body' in callOutcome)
      await this.#links.add(makeDraft(key, request))
    const reply = readReply(callOutcome, { ...rule, mayBeEmpty: prompt.mayBeEmpty })
    if (guard !== undefined && before === undefined && this.#sent.has(key)) this.#guards.count(guard, reply)
    return reply
  }

  /**
   * Returns the reason why a guarded call is not sent. It comes before the call is known to others, because a question
   * with a known answer may be the call itself.
   */
  async #findDistrust(key: ResponseKey, guard: JudgeGuard, rule?: ReplyRule): Promise<string | undefined> {
    if (this.#guards.isTrusted(guard) || this.#whyOver !== undefined) return undefined
    if ((await this.#store.requests.answerOf(key)) !== undefined) return undefined
    return this.#guards.check(guard, question => this.#askKnown(question, rule))
  }

  async #askKnown(prompt: JudgePrompt, rule?: ReplyRule): ReturnType<AskKnown> {
    const reply = await this.ask(prompt, rule)
    return { reply, isStored: !this.#sent.has(computeRequestKey(makeJudgeRequest(prompt), this.#model)) }
  }

  /**
   * Runs work that may call the judge, and then ends the calls. Calls before or after the work are errors.
   *
   * @param run the run whose answers are judged
   * @throws the error of the work, or the error that ended the calls early. An interruption throws nothing
   */
  async during<T>(run: Run, work: () => Promise<T>): Promise<T> {
    this.#judged = run
    this.#notes.nameRun(run)
    try {
      const result = await work()
      await this.#close()
      return result
    } catch (error) {
      await this.#abandon()
      throw error
    }
  }

  /** Aborts the calls in flight, because the work failed; the caller throws the work's error. */
  async #abandon(): Promise<void> {
    this.#isClosed = true
    this.#abandoned.abort()
    this.#open.breakOff(new Error('interrupted'))
    await this.#loop?.catch(() => undefined)
  }

  async #close(): Promise<void> {
    await this.#guards.settle()
    this.#isClosed = true
    this.#wake.notify()
    const outcome = await this.#loop
    await this.#links.commit()
    if (outcome === undefined && this.#fromStore === 0) return
    this.#notes.noteEnd(outcome ?? { answered: 0, failed: 0 }, this.#fromStore)
  }

  /** @param onQueued called if the store has no answer, so that the call is sent */
  async #outcome(key: ResponseKey, request: JudgeRequest, onQueued: () => void): Promise<CallOutcome> {
    const outcome = await this.#store.requests.answerOf(key)
    if (outcome !== undefined) {
      this.#fromStore += 1
      if ('body' in outcome) await this.#links.add(makeDraft(key, request))
      return outcome
    }
    if (this.#whyOver !== undefined) return this.#whyOver
    if (this.#open.broken !== undefined) throw this.#open.broken
    this.#sent.add(key)
    return new Promise((settle, breakOff) => {
      const call = { key, draft: makeDraft(key, request), settle, breakOff }
      this.#open.add(call)
      this.#drafts.push(call)
      onQueued()
      void this.#flush()
    })
  }

  /** Commits the calls that were made meanwhile in one transaction. */
  async #flush(): Promise<void> {
    if (this.#isFlushing) return
    this.#isFlushing = true
    try {
      const run = await this.#run()
      while (this.#drafts.length > 0) {
        const drafts = this.#drafts
        this.#drafts = []
        await this.#store.docs.commit(
          run,
          0,
          drafts.map(({ draft }) => draft),
          true,
        )
        this.#loop ??= this.#start(run)
        this.#wake.notify()
      }
    } catch (error) {
      this.#open.breakOff(error)
    } finally {
      this.#isFlushing = false
    }
  }

  #spec(): ReturnType<typeof auxiliaryRun> {
    if (this.#judged === undefined) throw new Error('internal error: no run was named to the judge')
    return auxiliaryRun(this.#judged, this.#model, { doing: 'judging', judge: { of: this.#judged.id } })
  }

  #findRun(): Promise<Run | undefined> {
    return this.#store.runs.find(runKey(this.#spec().asked).key)
  }

  async #run(): Promise<Run> {
    const { asked, provenance } = this.#spec()
    const { run } = await this.#store.runs.create(asked, provenance, [{ kind: 'code', ...this.#model.code }])
    return run
  }

  /** Starts the model stage. Its error aborts the open calls, and `during` throws it. */
  #start(run: Run): Promise<InferOutcome> {
    const drain = AbortSignal.any([this.#hooks.drain, this.#over.signal])
    const loop = inferRun({
      ...inferenceBy(this.#model, run, AbortSignal.any([drain, this.#abandoned.signal])),
      store: observingStore(this.#store, (key, outcome) => this.#open.settle(key, outcome)),
      run,
      retryFailed: false,
      upstreamFinished: () => Promise.resolve(this.#isClosed),
      wake: this.#wake,
      answered: new Wake(),
      ...(this.#gate && { gate: this.#gate }),
      drain,
      stop: AbortSignal.any([this.#hooks.stop, this.#abandoned.signal]),
      emit: event => {
        if (event.type === 'note') this.#hooks.emit(event)
      },
    })
    this.#open.poll()
    loop.then(
      () => this.#loopEnded(),
      (error: unknown) => this.#open.breakOff(error),
    )
    return loop
  }

  #loopEnded(): void {
    if (this.#whyOver !== undefined && !this.#hooks.drain.aborted) this.#settleOpen(this.#whyOver)
    this.#open.breakOff(new Error('interrupted'))
  }

  #settleOpen(why: CallOutcome): void {
    for (const key of this.#open.keys) {
      this.#sent.delete(key)
      this.#open.settle(key, why)
    }
  }
}
