/** The data of the pages of samples: rows of a list, and one sample whole. */
import type { FoundHistograms, FoundSamples, SampleOrder } from '../../../../cache/store.js'
import type { Failure, GenerationKwargs, JsonObject, Usage } from '../../../../cache/records.js'
import type { Json } from '../../../../base/values/canonical-json.js'
import type { SampleOutcome } from '../../../../cache/facts/sample-facts.js'
import type { RangeTexts } from '../../../reading/samples/number-ranges.js'
import type { SampleKind } from '../../../reading/samples/sample-kinds.js'
import type { DocRef } from './runs.js'

/** The orders in which samples are listed. */
export const sampleOrders = ['doc', 'value', 'tokens', 'duration', 'change'] as const satisfies readonly SampleOrder[]

export type { SampleKind, SampleOrder }

/** Selects and orders samples of a run. */
export interface SampleFilter {
  readonly only: SampleKind
  /** The run that `flipped`, `improved`, `worsened` and `change` are against. */
  readonly against?: string
  /** The name of a task. */
  readonly task?: string
  /** Labels that the doc has, by field. */
  readonly labels?: Readonly<Record<string, string>>
  /** The current label of the answer. */
  readonly marked?: 'right' | 'wrong' | 'unclear'
  /** Ranges that numbers of the sample are in, such as `{value: '0.2..0.5'}`. */
  readonly ranges?: RangeTexts
  /** Words that the prompt, the answer, the target or the id holds. */
  readonly q?: string
  /** @default 'doc' */
  readonly sort?: SampleOrder
  readonly descending?: boolean
}

/** Filters the samples of a run, and selects a page. */
export interface SampleRowsQuery extends SampleFilter {
  readonly offset: number
  readonly limit: number
}

/** One page of the list of samples. */
export interface SampleRows {
  /** The number of samples that the filter finds, so far. */
  readonly total: number
  /** The number of samples that are prepared for filters and for the search. */
  readonly prepared: FoundSamples['prepared']
  readonly offset: number
  readonly rows: readonly SampleRow[]
}

/** The samples that a filter finds, counted by their numbers. */
export type SampleHistograms = FoundHistograms

/** A sample as a row of a list. */
export interface SampleRow extends DocRef {
  readonly taskName: string
  readonly outcome: SampleOutcome
  readonly empty?: boolean
  readonly cut?: boolean
  /** True if the judges of a panel gave different values. */
  readonly disputed?: boolean
  /** The first metric, its value, and whether that is right. */
  readonly metric: string
  readonly isLowerBetter?: boolean
  readonly value: number | null
  readonly isRight: boolean | null
  /** The value in the run that this one is compared with. */
  readonly otherValue?: number | null
  /** At most 200 characters each. If the list is of a search, each begins near its first match. */
  readonly prompt: string
  readonly answer: string
  readonly target: string
  /** The text that a filter read out of the answer. Absent if that is the whole answer, or if nothing was read. */
  readonly extracted?: string
  /** The first picture, video or sound of the prompt. */
  readonly medium?: MediaRef
  readonly durationMs?: number
  readonly outputTokens?: number
  /** The characters of the answers. Absent if they are no texts. */
  readonly characters?: number
  /** Dollars. Absent if it is not known. */
  readonly cost?: number
  readonly marked?: 'right' | 'wrong' | 'unclear'
}

/** A medium of the store. */
export interface MediaRef {
  readonly digest: string
  readonly kind: 'image' | 'audio' | 'video' | 'file'
  /** The media type of its bytes, from a fixed list; `application/octet-stream` for all else. */
  readonly type: string
  readonly bytes: number
  readonly width?: number
  readonly height?: number
  /** The path on the machine of the store, or the address in object storage. */
  readonly path: string
  /** True if it is gone, or damaged in object storage. */
  readonly isMissing?: boolean
}

/** One sample whole. */
export interface SampleView extends DocRef {
  readonly taskName: string
  readonly outcome: SampleRow['outcome']
  readonly isRight: boolean | null
  readonly empty?: boolean
  readonly cut?: boolean
  readonly target: Json
  readonly choices?: readonly string[]
  readonly doc: JsonObject
  readonly values: Readonly<Record<string, Json>>
  /** The text that each filter extracted from the answer, and its range there if it is found literally (UTF-16 offsets in the answer's text). */
  readonly extracted: readonly {
    readonly filter: string
    readonly value: Json
    /** The reason that an assertion stored instead of an extracted text. */
    readonly reason?: string
    readonly spans: readonly (readonly [start: number, end: number])[]
  }[]
  readonly reason?: string
  readonly groups: Readonly<Record<string, string>>
  readonly items: readonly ItemView[]
  /** Boxes of the target and of the answer, to be drawn over the first picture. */
  readonly boxes: readonly Box[]
  readonly judgeCalls: readonly JudgeCall[]
  readonly marks: readonly Mark[]
}

export interface Box {
  readonly of: 'target' | 'answer'
  /** Left, top, right, bottom, as shares of the picture's width and height. */
  readonly corners: readonly [number, number, number, number]
  readonly label?: string
}

/** One request of a doc with its answer. */
export interface ItemView {
  readonly choice: number
  readonly sample: number
  /** The response key; absent if no request could be made. */
  readonly key?: string
  readonly type?: string
  readonly messages: readonly MessageView[]
  readonly continuation?: string
  readonly tools?: readonly JsonObject[]
  readonly generation: GenerationKwargs
  readonly answer?: AnswerView
  readonly failure?: Failure
  /** The rounds between the first question and the last answer. */
  readonly transcript: readonly MessageView[]
}

export interface AnswerView {
  readonly text: string
  /** Set if `text` is only the beginning: the number of characters in all. */
  readonly length?: number
  /** The media that the model made. */
  readonly media?: readonly MediaView[]
  readonly reasoning?: string
  readonly finishReason: string
  readonly logprob?: number
  readonly isGreedy?: boolean
  readonly usage?: Usage
  /** Absent if an imported log does not state it. */
  readonly durationMs?: number
  readonly firstTokenMs?: number
  readonly queueMs?: number
  readonly attempts: number
  readonly answeredAt: string
  /** True if the answer was in the store before this run. */
  readonly isFromStore: boolean
}

export interface MessageView {
  readonly role: 'system' | 'user' | 'assistant' | 'tool'
  readonly parts: readonly PartView[]
  readonly toolCalls: readonly { readonly name: string; readonly arguments: string }[]
  readonly toolName?: string
  readonly isToolError?: boolean
  /** The time that the answer or the tool call took. Absent if it is unknown, as for messages of a prompt. */
  readonly durationMs?: number
  readonly outputTokens?: number
}

/** A text or a medium of a message. */
export type PartView =
  /** `length` is set if the text is only the beginning. */
  { readonly type: 'text'; readonly text: string; readonly length?: number } | MediaView

/** A medium of a message or of an answer. */
export interface MediaView {
  readonly type: 'image' | 'audio' | 'video' | 'file'
  readonly medium: MediaRef
  /** The derivation that was sent in its stead: clip, frames, longest side. */
  readonly derive?: JsonObject
  /** The address that it was downloaded from. */
  readonly url?: string
}

/** A call of a judge model: prompt and reply. */
export interface JudgeCall {
  readonly model: string
  /** The model name that the server reported, if it is not the requested one. */
  readonly served?: string
  readonly key: string
  readonly messages: readonly MessageView[]
  readonly answer?: AnswerView
  readonly failure?: Failure
  /** The values that came of this judge's replies, by metric. */
  readonly verdict?: Readonly<Record<string, Json>>
}

/** The label of one author for the answers of a sample. */
export interface Mark {
  readonly label: 'right' | 'wrong' | 'unclear'
  readonly note?: string
  readonly author: string
  readonly at: string
}

/** The request behind a response key, and the reason why it was sent or not. */
export interface KeyView {
  readonly key: string
  /** The parts of the key with their preimages: `input`, `config`, `code`, `sample`. */
  readonly parts: readonly { readonly name: string; readonly key: string; readonly preimage: Json }[]
  /** Sentences about the answer's origin: sent in this run at …, or answered before by run …; attempts; what a new request would need. */
  readonly why: readonly string[]
}
