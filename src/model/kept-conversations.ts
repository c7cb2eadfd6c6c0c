import type { ChatMessage, ResponseMeta, Run } from '../../cache/records.js'
import type { Sample, SampleItem, Store } from '../../cache/store.js'
import { keptTurns } from '../../stages/model/rounds/with-rounds.js'
import { realClock } from '../clock.js'

/** A doc with the rounds and tool calls of its conversations, including failed ones. */
export interface SampleWithRounds extends Sample {
  readonly items: readonly ItemWithRounds[]
}

export interface ItemWithRounds extends SampleItem {
  /** The stored part of a conversation without an answer. An answer has its own transcript. */
  readonly transcript?: readonly ChatMessage[]
  /** The times and tokens of the transcript's messages, if requested and known. */
  readonly turnMetas?: readonly (ResponseMeta | undefined)[]
}

/**
 * Adds the transcripts of a doc's failed conversations.
 *
 * @param options.withTimes also adds the times of each turn, which are read one after another
 */
export async function addRounds(
  store: Store,
  { asked }: Run,
  sample: Sample,
  { withTimes = false }: { readonly withTimes?: boolean } = {},
): Promise<SampleWithRounds> {
  const { model: identity, code, codes = {} } = asked
  const ledger = { store, identity, codes: { code, codes }, clock: realClock }
  const items = await Promise.all(
    sample.items.map(async (item): Promise<ItemWithRounds> => {
      const { request, response, sample: number } = item
      if (request?.input.conversation === undefined || (response !== undefined && !withTimes)) return item
      const turns = await keptTurns({ ...request, sample: number }, ledger)
      if (turns.length === 0) return item
      const turnMetas = withTimes ? { turnMetas: turns.map(({ meta }) => meta) } : {}
      if (response === undefined) return { ...item, transcript: turns.map(({ message }) => message), ...turnMetas }
      // Imported conversations, and conversations of older versions, may have other turns.
      return response.body.transcript?.length === turns.length ? { ...item, ...turnMetas } : item
    }),
  )
  return { ...sample, items }
}
