/** What is said in a conversation with a model. */
import type { Json } from '../../base/values/canonical-json.js'
import type { MediaDigest } from '../digest.js'

export type JsonObject = { readonly [key: string]: Json | undefined }

export interface TextPart {
  readonly type: 'text'
  readonly text: string
}

export interface MediaPart {
  /** `file`: a document with pages, a PDF. */
  readonly type: 'image' | 'audio' | 'video' | 'file'
  /** The medium in the store. The model sees these bytes unless `derive` says otherwise. */
  readonly media: MediaDigest
  /** Clip and derivation parameters that change what the model sees (seconds, frames, longest side). */
  readonly derive?: JsonObject
  /** The address that it was brought from: a model that is shown addresses is shown this one. */
  readonly url?: string
}

export type ContentPart = TextPart | MediaPart

export interface ChatMessage {
  /** `tool`: the result of one call, which `toolCallId` names. */
  readonly role: 'system' | 'user' | 'assistant' | 'tool'
  readonly content: readonly ContentPart[]
  /** What an assistant wanted done, in order. */
  readonly toolCalls?: readonly ToolCall[]
  /** An assistant's turn as its provider wrote it and wants it back: signed thoughts, for one. */
  readonly turn?: Json
  readonly toolCallId?: string
  /** The tool's name, beside `toolCallId`. */
  readonly toolName?: string
  /** Whether the call came to nothing, and the content says why. */
  readonly isToolError?: boolean
}

/** A tool as a model is told of it. */
export interface ToolDeclaration {
  readonly name: string
  readonly description?: string
  /** JSON schema of the arguments, an object; absent where there are none. */
  readonly parameters?: JsonObject
}

/** One thing that a model wants done. */
export interface ToolCall {
  /** As the provider calls it; made up where it has none. */
  readonly id: string
  readonly name: string
  /** As the model wrote them: JSON, if it kept to it. */
  readonly arguments: string
}
