import { command, option, type CommandLine } from '../../base/errors/option-words.js'
import { ownValue } from '../../base/values/named-values.js'
import type { ModelIdentity, Run } from '../../cache/records.js'
import type { JudgePrompt } from '../../stages/judge/define/judge-model.js'
import { pricedModel } from '../../stages/model/budget/price.js'
import type { Hooks } from '../config/settings.js'
import type { JudgeOverrides } from '../config/values/judge-overrides.js'
import { formatJudgeLabel } from './judge-label.js'

/** Words the notes about one judge model. */
export class JudgeNotes {
  /** The backend and model for messages, such as `openai gpt-4o`. */
  readonly label: string
  readonly #identity: ModelIdentity
  readonly #emit: Hooks['emit']
  readonly #again: CommandLine['options']
  readonly #overrides: JudgeOverrides
  readonly #noted = new Set<string>()
  #judged: Run | undefined

  /** @param options `again`: the options of the command that scores again. `overrides`: the judges that people replaced */
  constructor(
    identity: ModelIdentity,
    { emit }: Pick<Hooks, 'emit'>,
    {
      again,
      overrides = {},
    }: { readonly again: CommandLine['options']; readonly overrides?: JudgeOverrides | undefined },
  ) {
    this.#overrides = overrides
    this.label = formatJudgeLabel(identity)
    this.#identity = identity
    this.#emit = emit
    this.#again = again
  }

  /** Names the run whose answers are judged. */
  nameRun(run: Run): void {
    this.#judged = run
  }

  /** The command that scores again with this judge. */
  get rescoring(): string {
    return command('judge', [this.#judged?.name ?? 'RUN'], this.#again)
  }

  /** Notes, once for each task and name, that the task's code requests another model than the judge. */
  noteOther({ askedFor, doc }: JudgePrompt): void {
    const { model } = pricedModel(this.#identity)
    if (askedFor === undefined || askedFor === model) return
    const isMeant = ownValue(this.#overrides, askedFor) === model
    const why = isMeant ? `, as ${option('judgeOverride')} says` : ''
    const text = `${doc?.task ?? 'a task'} asks for the judge ${askedFor}, and ${this.label} judges${why}`
    if (this.#noted.has(text)) return
    this.#noted.add(text)
    this.#emit({ type: 'note', text })
  }

  /** Notes that the judge's server rejects every request. */
  noteRefusal(message: string): void {
    const options = option('judgeArgs', { api_key: '…', base_url: '…', model: '…' })
    const text = `the judge ${this.label} refuses to answer, and is asked nothing more: ${message}. All answers are kept. Mend the judge's key, account, address or model, and score with:   ${this.rescoring}   (${options})`
    this.#emit({ type: 'note', text })
  }

  /** Notes how many calls were sent, and how many answers the store had. */
  noteEnd({ answered, failed }: { readonly answered: number; readonly failed: number }, fromStore: number): void {
    const failures = failed === 0 ? '' : `, ${failed} failed`
    this.#emit({
      type: 'note',
      text: `judge ${this.label}: ${answered} asked${failures}, ${fromStore} from the store`,
    })
  }
}
