import type { Json } from '../../base/values/canonical-json.js'
import type { ChatMessage } from '../../cache/records.js'
import type { ForeignAnswer, ForeignSample } from './foreign-log.js'

/** Notes what the docs of a log hold, because a part that no doc has is rather a form of the log that is not read. */
export class LoggedContents {
  #docs = 0
  #prompts = 0
  #targets = 0
  #answered = 0
  #answers = 0

  /** @param samples the repeats of one doc */
  add(messages: readonly ChatMessage[], samples: readonly ForeignSample[]): void {
    this.#docs += 1
    // Some tasks ask for one ending after each of several texts, which are then the choices.
    const hasPrompt = messages.some(hasContent) || samples.some(({ choices = [] }) => choices.length > 0)
    if (hasPrompt) this.#prompts += 1
    if (samples.some(({ target }) => isThere(target))) this.#targets += 1
    const answers = samples.flatMap(sample => sample.answers.filter(({ error }) => error === undefined))
    if (answers.length > 0) this.#answered += 1
    if (answers.some(hasText)) this.#answers += 1
  }

  /** Returns a sentence about what no doc has; undefined if nothing is missing. */
  describeEmpty(): string | undefined {
    if (this.#docs === 0) return undefined
    const parts = [
      ...(this.#prompts === 0 ? ['prompt'] : []),
      ...(this.#targets === 0 ? ['target'] : []),
      ...(this.#answers === 0 && this.#answered > 0 ? ['text of an answer'] : []),
    ]
    return parts.length === 0 ? undefined : `the log holds no ${parts.join(' and no ')} of any doc`
  }
}

const hasContent = ({ content }: ChatMessage): boolean =>
  content.some(part => part.type !== 'text' || part.text.trim() !== '')

const isThere = (target: Json | undefined): boolean =>
  target !== undefined && target !== null && target !== '' && !(Array.isArray(target) && target.length === 0)

const hasText = ({ text = '', logprob, reasoning = '' }: ForeignAnswer): boolean =>
  logprob !== undefined || text.trim() !== '' || reasoning.trim() !== ''
