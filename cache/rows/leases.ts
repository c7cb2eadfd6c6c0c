import type { CodeKey, ConfigKey, InputKey, ResponseKey } from '../digest.js'
import { responseKey } from '../keys.js'
import type { GenerationKwargs, Input } from '../records.js'
import type { Lease } from '../store.js'
import { checkedText, DamagedRowError } from './sums.js'

/** A request with one of its items. */
export interface RequestRow {
  readonly item: number
  readonly task: number
  readonly doc_id: string
  readonly request: number
  readonly key: ResponseKey
  readonly sample: number
  readonly instance: number
  readonly input_key: InputKey
  readonly input: string
  readonly config: number
  readonly config_key: ConfigKey
  readonly code_key: CodeKey
}

/** Returns the generation kwargs of a config by its number. Implementations cache them, because a run has few configs. */
export type FindGeneration = (config: number) => GenerationKwargs

/** Makes the lease of a request. @throws DamagedRowError if the request is damaged */
export function makeLease(
  row: RequestRow,
  by: {
    readonly token: number
    readonly run: number
    readonly task: string | undefined
    readonly findGeneration: FindGeneration
  },
): Lease {
  const { input_key: input, config_key: config, code_key: code, sample } = row
  // The key is checked, because an answer to another input under this key would be accepted for ever.
  if (responseKey({ input, config, code, sample }) !== row.key) throw new DamagedRowError('request', row.request)
  const { type, messages, continuation, tools, conversation, target } = JSON.parse(
    checkedText('instance', row.instance, row.input_key, row.input),
  ) as Input
  return {
    request: row.request,
    token: by.token,
    key: row.key,
    input: { type, messages, continuation, tools, conversation, target },
    generation: by.findGeneration(row.config),
    sample: row.sample,
    item: { run: by.run, id: row.item, task: by.task ?? '', doc: row.doc_id },
  }
}

/** Reads the generation kwargs from the preimage of a config. @throws DamagedRowError if it is damaged or missing */
export function parseGeneration(
  config: number,
  row: { readonly key: ConfigKey; readonly preimage: string } | undefined,
): GenerationKwargs {
  if (row === undefined) throw new DamagedRowError('preimage', config)
  const { generation } = JSON.parse(checkedText('preimage', config, row.key, row.preimage)) as {
    generation: GenerationKwargs
  }
  return generation
}
