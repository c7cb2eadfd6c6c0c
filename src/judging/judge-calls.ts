import { messageOf, PipelineError } from '../../base/errors/errors.js'
import { command, option, storedText } from '../../base/errors/option-words.js'
import { Wake } from '../../base/time/wake.js'
import type { ResponseKey } from '../../cache/digest.js'
import type { Failure, FailureClass, JsonObject, Run } from '../../cache/records.js'
import type { DraftDoc, Store } from '../../cache/store.js'
import type { AskJudge, JudgeReply } from '../../stages/judge/define/judge-model.js'
import type { Gate } from '../../stages/model/budget/gate.js'
import { inferRun } from '../../stages/model/infer.js'
import type { InferOutcome } from '../../stages/model/infer-options.js'
import { realClock } from '../clock.js'
import { auxiliaryRun } from '../evaluation/auxiliary-run.js'
import { draftOf, keyOf, replyOf, requestOf, type JudgeRequest } from './judge-request.js'
import { inferenceBy, planModel, type ModelPlan } from '../model/model-plan.js'
import { observingStore } from '../evaluation/observing-store.js'
import type { Plugins } from '../model/plugins.js'
import type { Hooks, JudgeSettings } from '../evaluation/settings.js'
import type { Spending } from '../cost/spending.js'

/** Milliseconds between two queries for answers of other processes. */
const pollMs = 500

interface Call {
  readonly key: ResponseKey
  readonly draft: DraftDoc
  readonly settle: (reply: JudgeReply) => void
  readonly breakOff: (reason: Error) => void
}

export interface JudgeCallsParts {
  readonly store: Store
  readonly model: ModelPlan
  readonly hooks: Pick<Hooks, 'emit' | 'drain' | 'stop'>
  /** The command's budget. @default no limit */
  readonly spending?: Spending | undefined
}

/**
 * Plans the judge model of a command; undefined if the settings name none.
 *
 * @throws PipelineError if the backend or an argument is wrong, or if money is limited and the price is unknown
 */
export async function planJudge(
  { judgeModel: model, judgeArgs: modelArgs = {} }: JudgeSettings,
  { plugins, ...parts }: Omit<JudgeCallsParts, 'model'> & { readonly plugins: Plugins },
): Promise<JudgeCalls | undefined> {
  if (model === undefined) {
    if (Object.keys(modelArgs).length > 0)
      throw new PipelineError(
        'usage',
        `${option('judgeArgs')}: also give ${option('judgeModel', 'NAME')}   (${command('models list')})`,
      )
    return undefined
  }
  const settings = { model, modelArgs, codeKey: 'revision' } as const
  const plan = await planModel(settings, { store: parts.store, plugins, env: process.env, hooks: parts.hooks })
  if (!plan.backend.requests.includes('generate_until'))
    throw new PipelineError('usage', `${option('judgeModel', model)} can't answer in text`)
  return JudgeCalls.open({ ...parts, model: plan })
}

/**
 * The judge model of one judgement. Its calls are items of an auxiliary run, so that they are leased, retried, stored and reused like any other request. The first call
 * creates that run. `docs/decisions/judge-calls-as-a-run.md` says why.
 */
export class JudgeCalls {
  readonly #store: Store
  readonly #model: ModelPlan
  readonly #hooks: Pick<Hooks, 'emit' | 'drain' | 'stop'>
  readonly #replies = new Map<ResponseKey, Promise<JudgeReply>>()
  readonly #open = new Map<ResponseKey, Call>()
  readonly #wake = new Wake()
  #judged: Run | undefined
  #drafts: Call[] = []
  #loop: Promise<InferOutcome> | undefined
  #broken: Error | undefined
  readonly #abandoned = new AbortController()
  #cancelPoll: (() => void) | undefined
  /** The database's version at the last query for other processes' answers. */
  #dataVersion = Number.NaN
  #isFlushing = false
  #isClosed = false
  #fromStore = 0
  #gate: Gate | undefined
  /** Aborted when no further call may be sent. */
  readonly #over = new AbortController()
  #whyOver: Failure | undefined

  private constructor({ store, model, hooks }: JudgeCallsParts) {
    this.#store = store
    this.#model = model
    this.#hooks = hooks
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

  /** Fails calls that would exceed the budget; they are sent at the next start. */
  async #spendFrom(spending: Spending): Promise<void> {
    const onRefused = (message: string, failureClass: FailureClass): void => {
      this.#end({ class: failureClass, message, attempts: 0 })
      this.#hooks.emit({ type: 'note', text: this.#refusal(message) })
    }
    this.#gate = await spending.gateOf(this.#model, { onRefused })
    spending.requestsOver.addEventListener('abort', () => {
      this.#end({ class: 'budget', message: storedText(spending.stopped?.message ?? ''), attempts: 0 })
    })
  }

  #refusal(message: string): string {
    const again = command('judge', [this.#judged?.name ?? 'RUN'], { judgeModel: this.#model.backend.id })
    return `the judge ${this.#model.backend.id} refuses to answer, and is asked nothing more: ${message}. All answers are kept. Mend the judge's key, account, address or model, and score with:   ${again}   (${option('judgeArgs', { api_key: '…', base_url: '…', model: '…' })})`
  }

  #end(failure: Failure): void {
    this.#whyOver ??= failure
    this.#over.abort()
    // Later calls are answered from the store or fail.
    if (this.#loop === undefined) this.#settleOpen(failure)
  }

  /** @throws Error if the work was interrupted; the doc then has no score yet */
  readonly ask: AskJudge = prompt => {
    const request = requestOf(prompt)
    const key = keyOf(request, this.#model)
    const known = this.#replies.get(key)
    if (known !== undefined) return known
    const reply = this.#reply(key, request)
    this.#replies.set(key, reply)
    return reply
  }

  /**
   * Runs the work that may call the judge, and then ends the calls. Calls before or after it are errors.
   *
   * @param run the run whose answers are judged
   * @throws the error of the work, or the error that ended the calls early; not for an interruption
   */
  async during<T>(run: Run, work: () => Promise<T>): Promise<T> {
    this.#judged = run
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
    this.#breakOff(new Error('interrupted'))
    await this.#loop?.catch(() => undefined)
  }

  async #close(): Promise<void> {
    this.#isClosed = true
    this.#wake.notify()
    const outcome = await this.#loop
    if (outcome === undefined && this.#fromStore === 0) return
    const { answered = 0, failed = 0 } = outcome ?? {}
    const failures = failed === 0 ? '' : `, ${failed} failed`
    const text = `judge ${this.#model.backend.id}: ${answered} asked${failures}, ${this.#fromStore} from the store`
    this.#hooks.emit({ type: 'note', text })
  }

  async #reply(key: ResponseKey, request: JudgeRequest): Promise<JudgeReply> {
    const found = await this.#store.requests.answerOf(key)
    if (found !== undefined) {
      this.#fromStore += 1
      return replyOf(found)
    }
    if (this.#whyOver !== undefined) return replyOf({ failure: this.#whyOver })
    if (this.#broken !== undefined) throw this.#broken
    return new Promise((settle, breakOff) => {
      const call = { key, draft: draftOf(key, request), settle, breakOff }
      this.#open.set(key, call)
      this.#drafts.push(call)
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
      this.#breakOff(error)
    } finally {
      this.#isFlushing = false
    }
  }

  async #run(): Promise<Run> {
    if (this.#judged === undefined) throw new Error('internal error: no run was named to the judge')
    const { asked, provenance } = auxiliaryRun(this.#judged, this.#model, {
      doing: 'judging',
      judge: { of: this.#judged.id },
    })
    const { run } = await this.#store.runs.create(asked, provenance, [{ kind: 'code', ...this.#model.code }])
    return run
  }

  /** Starts the model stage. Its error aborts the open calls, and `during` throws it. */
  #start(run: Run): Promise<InferOutcome> {
    const drain = AbortSignal.any([this.#hooks.drain, this.#over.signal])
    const loop = inferRun({
      ...inferenceBy(this.#model, run, AbortSignal.any([drain, this.#abandoned.signal])),
      store: observingStore(this.#store, (key, found) => this.#settle(key, found)),
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
    this.#poll()
    loop.then(
      () => this.#loopEnded(),
      (error: unknown) => this.#breakOff(error),
    )
    return loop
  }

  #loopEnded(): void {
    if (this.#whyOver !== undefined && !this.#hooks.drain.aborted) this.#settleOpen(this.#whyOver)
    this.#breakOff(new Error('interrupted'))
  }

  #settleOpen(failure: Failure): void {
    for (const key of [...this.#open.keys()]) this.#settle(key, { failure })
  }

  #settle(key: ResponseKey, found: Parameters<typeof replyOf>[0]): void {
    const call = this.#open.get(key)
    this.#open.delete(key)
    call?.settle(replyOf(found))
  }

  /** Looks for answers of other processes to open calls, until the model stage ends. */
  #poll(): void {
    this.#cancelPoll = realClock.after(pollMs, () => {
      void this.#lookElsewhere().finally(() => {
        if (this.#broken === undefined) this.#poll()
      })
    })
  }

  async #lookElsewhere(): Promise<void> {
    const version = this.#store.dataVersion()
    if (version === this.#dataVersion) return
    this.#dataVersion = version
    try {
      for (const key of [...this.#open.keys()]) {
        const found = await this.#store.requests.answerOf(key)
        if (found !== undefined) this.#settle(key, found)
      }
    } catch (error) {
      this.#breakOff(error)
    }
  }

  #breakOff(error: unknown): void {
    this.#broken ??= error instanceof Error ? error : new Error(messageOf(error))
    for (const call of this.#open.values()) call.breakOff(this.#broken)
    this.#open.clear()
    this.#cancelPoll?.()
  }
}
