/** What is stored, and so what the stages say to each other. Plain data; every field is JSON. */
import type { Json } from '../base/canonical-json.js'
import type {
  AnswerDigest,
  CodeKey,
  FileDigest,
  FileIdentity,
  JudgeConfigKey,
  MediaDigest,
  RecordKey,
  ResponseKey,
  RunKey,
  ScoreKey,
  TaskKey,
} from './digest.js'

export type JsonObject = { readonly [key: string]: Json | undefined }

export type RequestType =
  | 'generate_until'
  | 'loglikelihood'
  | 'loglikelihood_rolling'
  | 'generate_until_multi_round'
  | 'generate_until_agentic'
  /** No question: something done between two rounds of a conversation. See {@link Step}. */
  | 'step'

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

/** What else decides an answer that takes several rounds, beside what is asked in the first. */
export interface Conversation {
  /** Grows when the way that rounds follow each other changes. */
  readonly v: number
  /** Rounds of tool calls at most, where there are tools. */
  readonly maxToolRounds?: number
  /** Where a task's function says what comes after an answer. */
  readonly follow?: Follow
}

/** A function of a task that is asked after each answer what comes next. */
export interface Follow {
  /** Digest of its code and of what it is given beside the doc. */
  readonly by: TaskKey
  /** The doc as it is given to the function: each medium as the part of a message that shows it. */
  readonly doc: JsonObject
}

/** Something that was done between two rounds, kept so that it is not done again. */
export interface Step {
  /** The conversation: the key under which its answer will be. */
  readonly of: ResponseKey
  /** `next 1`, `call 0/2`: what it is, and its place. */
  readonly at: string
  /** Digest of the answers that it follows. */
  readonly after: string
}

/** What a model is shown: the part of a request that does not depend on which model it is. */
export interface Input {
  readonly type: RequestType
  readonly messages: readonly ChatMessage[]
  /** The text whose log-likelihood is asked, after the messages; with its leading space, if it has one. */
  readonly continuation?: string | undefined
  readonly tools?: readonly ToolDeclaration[] | undefined
  /** Where the answer is made of several rounds. */
  readonly conversation?: Conversation | undefined
  readonly step?: Step | undefined
}

/** How an answer is generated. Values at their frozen default (temperature 0, do_sample false) are left out of keys. */
export interface GenerationKwargs {
  readonly max_new_tokens?: number
  readonly temperature?: number
  readonly top_p?: number
  readonly top_k?: number
  readonly do_sample?: boolean
  readonly num_beams?: number
  readonly repetition_penalty?: number
  readonly seed?: number
  readonly until?: readonly string[]
  readonly [other: string]: Json | undefined
}

/** Who answers, as far as it can change the answer. Local: digests of the files used; API: name and origin. */
export interface ModelIdentity {
  readonly backend: string
  readonly args: JsonObject
  readonly files?: { readonly [name: string]: FileDigest }
}

/** The code that can change an output: git object ids of files, resolved versions of packages. */
export interface CodeManifest {
  readonly files: { readonly [path: string]: string }
  readonly packages?: { readonly [name: string]: string }
  /** Set by `--code-version`, or to the commit by `--code-key commit`: stands for all the rest. */
  readonly version?: string
}

/** What a model answered to one request. A failure is not an answer; an empty text is. */
export interface ResponseBody {
  /** As generated, reasoning apart. Empty for log-likelihoods. */
  readonly text: string
  readonly finishReason: 'stop' | 'length' | 'content_filter' | 'tool_calls' | 'unknown'
  /** What the server called it, where that is another word. */
  readonly rawFinishReason?: string | undefined
  readonly reasoning?: string | undefined
  /** Natural logarithm, summed over the continuation's tokens. */
  readonly logprob?: number | undefined
  /** Tokens of the continuation. */
  readonly continuationTokens?: number | undefined
  /** Whether greedy decoding would have given the continuation. */
  readonly isGreedy?: boolean | undefined
  /** What the model wants done before it goes on. */
  readonly toolCalls?: readonly ToolCall[] | undefined
  /** With `toolCalls`: the turn as its provider wrote it and wants it back. */
  readonly turn?: Json | undefined
  /** Of several rounds that a task leads: the answers that are judged, as its function left them. */
  readonly outputs?: readonly string[] | undefined
  /** Of several rounds: all that was said after the first question, and done. */
  readonly transcript?: readonly ChatMessage[] | undefined
  /** Of a step: media that came of it, beside its text. */
  readonly content?: readonly ContentPart[] | undefined
}

export interface Usage {
  readonly inputTokens?: number | undefined
  readonly outputTokens?: number | undefined
  readonly reasoningTokens?: number | undefined
  readonly cachedTokens?: number | undefined
  /** Of the input, sound: where the provider counts it apart and there is some. */
  readonly audioTokens?: number | undefined
}

/** Where the time of one request went, and what it moved. Milliseconds and bytes; what was not seen is absent. */
export interface Timing {
  /** From when it could have been sent to when it was: for want of a slot or because of a limit. */
  readonly queueMs?: number | undefined
  /** From sending to having a socket; absent where one was there. */
  readonly connectMs?: number | undefined
  /** From sending to the first piece of the answer's text, where it comes in pieces. */
  readonly firstTokenMs?: number | undefined
  /** From the first attempt to the one that was answered: failed attempts, and the waits between them. */
  readonly retryWaitMs?: number | undefined
  /** Of its duration, what rounds took that were answered in an attempt before, perhaps of another process. */
  readonly earlierMs?: number | undefined
  /** Of the attempt that was answered. */
  readonly sentBytes?: number | undefined
  readonly receivedBytes?: number | undefined
  /** Attempts that were refused for a limit. */
  readonly throttled?: number | undefined
}

/** What is kept beside a response and is no part of it: two machines may differ in it. */
export interface ResponseMeta {
  readonly usage?: Usage | undefined
  readonly timing?: Timing | undefined
  /** Milliseconds of the attempt that was answered. */
  readonly durationMs: number
  /** Sent one after another. */
  readonly attempts: number
  /** Further copies that were sent while an attempt was under way. */
  readonly hedges?: number | undefined
  /** Whether one of these was answered first. */
  readonly isHedgeFirst?: boolean | undefined
  /** Milliseconds since 1970, when it was answered. */
  readonly answeredAt: number
  /** The commit that the program was built from, and whether the tree had changes. */
  readonly commit?: string | undefined
  readonly dirty?: boolean | undefined
  /** The first 16 digits of the id of the run that asked, so that its speed is told apart from what others had asked for. */
  readonly run?: string | undefined
  /** Handed in as part of a batch, whose time says nothing of the model's. */
  readonly batch?: true | undefined
}

/** Why a request has no answer. See {@link permanentFailures}. */
export type FailureClass = 'rate_limited' | 'timeout' | 'server' | 'invalid_request' | 'refused' | 'media' | 'budget'

/** Classes that another try would meet again: they stay failed until `--retry-failed`. */
export const permanentFailures: ReadonlySet<FailureClass> = new Set(['invalid_request', 'refused', 'media'])

export interface Failure {
  readonly class: FailureClass
  readonly message: string
  readonly attempts: number
  /** Of a permanent class, and yet to be asked again next time: whoever asked was refused, not the request. */
  readonly opensAgain?: boolean
}

/** Whether another try would meet the same: then it waits for `--retry-failed`. */
export const isPermanent = ({
  class: failureClass,
  opensAgain = false,
}: Pick<Failure, 'class' | 'opensAgain'>): boolean => permanentFailures.has(failureClass) && !opensAgain

/** What the judge may know of a doc: never media. */
export interface JudgeRecord {
  readonly target: Json
  readonly choices?: readonly string[]
  /** The doc's non-media fields, as `process_results` sees them. */
  readonly doc: JsonObject
}

/** How the docs of a task are told apart from those of the same file tomorrow. */
export interface DatasetIdentity {
  readonly path: string
  /** Of a repository that has several. */
  readonly config?: string
  readonly split?: string
  /** The commit of a Hub repository; it stands for all its files, of which none is then named. */
  readonly revision?: string
  readonly files: { readonly [path: string]: FileIdentity }
}

/** A task as it was asked for. */
export interface RunTask {
  readonly name: string
  readonly identity: TaskKey
  readonly dataset: DatasetIdentity
}

/** A group as it was asked for: its members, tasks or groups in it, and what is made of their scores. */
export interface RunGroup {
  readonly name: string
  /** What it is called in tables. */
  readonly alias?: string
  readonly members: readonly string[]
  readonly rules: readonly {
    readonly metric: string
    /** `mean`, or `!function utils.name`. */
    readonly aggregation: string
    readonly weightBySize: boolean
    /** Names of filter pipelines; all where it is absent. */
    readonly filters?: readonly string[]
  }[]
  readonly version?: number | string
  /** Git object ids of the code of its functions, where it has any. */
  readonly closure?: { readonly [path: string]: string }
}

/** What was asked. Its digest is the run's id: the same line is the same run. */
export interface Asked {
  readonly tasks: readonly RunTask[]
  /** The groups that were named, an outer one before its inner ones. */
  readonly groups?: readonly RunGroup[]
  readonly model: ModelIdentity
  readonly code: CodeKey
  /** Where a type of request is answered by other code. */
  readonly codes?: { readonly [type in RequestType]?: CodeKey }
  readonly selection: JsonObject
  readonly judge?: JsonObject
  /** Of a run that holds the rounds of another one's conversations: which. */
  readonly rounds?: { readonly of: RunKey }
  /** `--new-run` counts from 1; the first run has none. */
  readonly repeat?: number
  /** Digest of the media files that were edited, under their names, since an earlier run of the same. */
  readonly media?: string
}

/** Kept with a run for people and for later commands; no part of its identity. */
export interface RunProvenance {
  readonly version: string
  readonly commit?: string
  readonly dirty?: boolean
  readonly node: string
  /** The configuration that starts the same run again (`resume`), without secrets. */
  readonly config: JsonObject
  /** Per task: what the judge needs where the task's folder is not at hand. */
  readonly scoring: { readonly [task: string]: JsonObject }
  /** Per task that has another name for tables: that name. */
  readonly aliases?: { readonly [task: string]: string }
  /** Per group with functions of its own: their code. */
  readonly groups?: { readonly [group: string]: JsonObject }
}

export interface Run {
  /** The store's own number; means nothing elsewhere. */
  readonly ref: number
  readonly id: RunKey
  /** Three parts, easy to say: `brave-otter-7f3a`. */
  readonly name: string
  readonly asked: Asked
  readonly provenance: RunProvenance
  readonly createdAt: number
}

/** What one metric made of one doc, and how it came to it. */
export interface ScoreBody {
  /**
   * `scored`: every metric has a value. `unparsed`: the answer could not be read, `values` hold what the benchmark
   * counts for that. `judge_failed`, `error`: there is no value, and the doc lowers the coverage.
   */
  readonly outcome: 'scored' | 'unparsed' | 'judge_failed' | 'error'
  /** By `metric` or `metric,filter`. A number, or what the metric's aggregation needs instead. */
  readonly values: { readonly [metric: string]: Json }
  /** What was read out of the answer, by filter pipeline (`none` where there is one without a name). */
  readonly extracted: { readonly [filter: string]: Json }
  /** Why it is not `scored`. */
  readonly reason?: string | undefined
  /** Where `unparsed` is true of some of the values only: their names. */
  readonly unparsed?: readonly string[] | undefined
  /** The model answered with nothing but white space and reasoning. */
  readonly empty?: boolean | undefined
  /** The answer was cut off at its limit of tokens. */
  readonly cut?: boolean | undefined
  /** Characters of reasoning, apart from the answer or in tags in it, where there are any. */
  readonly reasoning?: number | undefined
  /** Labels for the breakdown: `{type: "color"}`. */
  readonly groups?: { readonly [field: string]: string } | undefined
  /** What it has in common with other docs, so that they are not independent: the value of the field `cluster_key`. */
  readonly cluster?: string | undefined
}

/** One number of the report with what is needed to trust it. */
export interface Aggregate {
  /** Of a group, its name. */
  readonly task: string
  /** The tasks that it is made of, where it is a group's. */
  readonly of?: readonly string[]
  readonly metric: string
  readonly filter: string
  /** Absent for the whole task. */
  readonly group?: { readonly field: string; readonly label: string }
  readonly value: number | null
  readonly stderr: number | null
  /** 95 % confidence interval. */
  readonly interval: readonly [number, number] | null
  readonly intervalMethod: 'wilson' | 't' | 'clustered' | 'none'
  readonly higherIsBetter: boolean
  /** Docs that have a value. */
  readonly n: number
  /** Docs of the task (of the group). */
  readonly total: number
  readonly unparsed: number
  readonly empty: number
  /** Docs whose answer was cut off at its limit of tokens, and those of them that are empty; absent for none. */
  readonly cut?: number
  readonly emptyCut?: number
  /** Docs whose answer has reasoning, and how many characters it has in all of them; absent for none. */
  readonly reasoned?: number
  readonly reasoningCharacters?: number
  /** Between these the value would lie whatever the missing docs were; only where `n` < `total` and the range is known. */
  readonly bounds?: readonly [number, number]
  /** What else must be said with the number so that others can meet it again, such as sacrebleu's signature. */
  readonly note?: string
  /** Why there is no value, though docs have theirs. */
  readonly error?: string
}

/** How one task is judged. Its two keys, with responses and judge record, make the score key. */
export interface TaskJudging {
  readonly config: JsonObject
  readonly scorer: CodeManifest
}

/** One pass of scores over a run: `RUN@1`, `RUN@2`. */
export interface Judgement {
  readonly ref: number
  readonly run: number
  /** From 1, within its run. */
  readonly number: number
  readonly tasks: readonly {
    readonly judging: TaskJudging
    readonly config: JudgeConfigKey
    readonly scorer: CodeKey
  }[]
  readonly createdAt: number
  /** Set when every doc that could be scored was, and the aggregates were stored. */
  readonly finishedAt?: number
  readonly aggregates?: readonly Aggregate[]
}

/** A doc's answer to one of its requests. */
export interface Answer {
  readonly choice: number
  readonly sample: number
  readonly key: ResponseKey
  readonly digest: AnswerDigest
  readonly body: ResponseBody
}

/** All that the judge reads of one doc. */
export interface AnsweredDoc {
  /** Index into the run's tasks. */
  readonly task: number
  /** Index in the task's dataset, after `process_docs`. */
  readonly index: number
  readonly id: string
  readonly recordKey: RecordKey
  readonly record: JudgeRecord
  /** In the order of choice, then sample. */
  readonly answers: readonly Answer[]
}

export type { ScoreKey }

/** A model's call on behalf of a judge; the composition root gives the function, so that no stage knows another. */
export type Ask = (request: {
  readonly input: Input
  readonly generation: GenerationKwargs
  readonly sample?: number
}) => Promise<
  { readonly type: 'answered'; readonly body: ResponseBody } | { readonly type: 'failed'; readonly failure: Failure }
>
