/** Defines the messages of a conversation with a model. */
import type { Json } from '../../base/values/canonical-json.js'
import type { MediaDigest } from '../digest.js'

/** An object of JSON values; undefined fields are left out. */
export type JsonObject = { readonly [key: string]: Json | undefined }

/** A text within a message. */
export interface TextPart {
  readonly type: 'text'
  readonly text: string
}

/** A medium within a message, by its digest. */
export interface MediaPart {
  /** `file` is a document with pages, such as a PDF. */
  readonly type: 'image' | 'audio' | 'video' | 'file'
  /** The medium's digest in the store. The model sees these bytes unless `derive` is set. */
  readonly media: MediaDigest
  /** Clip and derivation parameters that change what the model sees (seconds, frames, longest side). */
  readonly derive?: JsonObject
  /** The URL that the medium was downloaded from. Models that accept URLs are sent this one. */
  readonly url?: string
}

/** A part of a message. */
export type ContentPart = TextPart | MediaPart

/** One message of a conversation. */
export interface ChatMessage {
  /** A `tool` message holds the result of the call that `toolCallId` names. */
  readonly role: 'system' | 'user' | 'assistant' | 'tool'
  readonly content: readonly ContentPart[]
  /** The tool calls that the assistant requested, in order. */
  readonly toolCalls?: readonly ToolCall[]
  /** The assistant's message in the provider's own format, for providers that need it back, for example with signed thoughts. */
  readonly turn?: Json
  readonly toolCallId?: string
  /** The name of the tool. Set together with `toolCallId`. */
  readonly toolName?: string
  /** True if the call failed. The content then says why. */
  readonly isToolError?: boolean
}

/** Declares a tool to a model. */
export interface ToolDeclaration {
  readonly name: string
  readonly description?: string
  /** The JSON schema of the arguments object. Absent for a tool without arguments. */
  readonly parameters?: JsonObject
}

/** A tool call that a model requests. */
export interface ToolCall {
  /** The provider's id of the call, or a generated id if the provider gives none. */
  readonly id: string
  readonly name: string
  /** The arguments as the model wrote them. They should be JSON, but may be invalid. */
  readonly arguments: string
}
