import type { ChatMessage, Run } from '../../cache/records.js'
import type { Sample, SampleItem, Store } from '../../cache/store.js'
import { keptMessages } from '../../stages/model/rounds/with-rounds.js'
import { realClock } from '../clock.js'

/** A doc with the rounds and tool calls of its conversations, including failed ones. */
export interface SampleWithRounds extends Sample {
  readonly items: readonly ItemWithRounds[]
}

export interface ItemWithRounds extends SampleItem {
  /** The stored part of a conversation without an answer. An answer has its own transcript. */
  readonly transcript?: readonly ChatMessage[]
}

/** Adds the transcripts of a doc's failed conversations. */
export async function addRounds(store: Store, { asked }: Run, sample: Sample): Promise<SampleWithRounds> {
  const { model: identity, code, codes = {} } = asked
  const ledger = { store, identity, codes: { code, codes }, clock: realClock }
  const items = await Promise.all(
    sample.items.map(async (item): Promise<ItemWithRounds> => {
      const { request, response, sample: number } = item
      if (request?.input.conversation === undefined || response !== undefined) return item
      const transcript = await keptMessages({ ...request, sample: number }, ledger)
      return transcript.length === 0 ? item : { ...item, transcript }
    }),
  )
  return { ...sample, items }
}
