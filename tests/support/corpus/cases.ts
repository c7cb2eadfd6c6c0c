import type { GenerationKwargs, Input, JsonObject } from '../../../cache/records.js'

/** A reply of the stand-in server. `{origin}` in it is replaced by the server's address. */
export interface CannedReply {
  /** @default 200 */
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body: string
}

/** Computes replies from requests. The replies are recorded with the case, and replayed unchanged. */
export type Responder = (request: { readonly path: string; readonly body: string }) => CannedReply

/** A request to a backend, with its replies. */
export interface CorpusCase {
  /** Unique in its family. */
  readonly name: string
  readonly backend: string
  /** Arguments as in `--model-args`. `{origin}` is the server's address, `{root}` the project's folder. */
  readonly args: JsonObject
  readonly input: Input
  readonly generation: GenerationKwargs
  readonly sample?: number
  /** Replies in the order of the requests. The last one answers all further requests. */
  readonly replies: readonly CannedReply[] | Responder
}

type Named<T> = Readonly<Record<string, T>>

/** A backend of a family: the arguments of all of its cases, and alternative values of each argument. */
export interface VariedBackend {
  readonly id: string
  /** Name in the names of cases. @default the id */
  readonly label?: string
  /** The reply to a plain request. @default the first reply of the family */
  readonly reply?: CorpusCase['replies']
  readonly base: JsonObject
  /** Alternative values for each argument that affects output. */
  readonly values: Named<readonly JsonObject[string][]>
}

/** The lists from which the cases of a family are combined. The first backend and the first item of each list are the plain ones. */
export interface CorpusPlan {
  readonly backends: readonly [VariedBackend, ...VariedBackend[]]
  readonly inputs: Named<Input>
  readonly generations: Named<GenerationKwargs>
  /** Inputs that are rejected before a request is sent. */
  readonly refused?: Named<Input>
  /** Generation kwargs that are rejected before a request is sent. */
  readonly impossible?: Named<GenerationKwargs>
  /** Whole replies. */
  readonly replies: Named<CorpusCase['replies']>
  /** Streamed replies, for `stream=true`. */
  readonly streams?: Named<CorpusCase['replies']>
}

/** Number of inputs to combine with each value of an argument. */
const inputsPerValue = 4

/**
 * Returns all cases of a family: each input with all generation kwargs, each value of an argument with several inputs, each reply to a plain
 * request and to one with tools and stop sequences, and each backend with each input.
 */
export function combined(plan: CorpusPlan): readonly CorpusCase[] {
  const [first, ...others] = plan.backends
  const inputs = Object.entries(plan.inputs)
  const generations = Object.entries(plan.generations)
  const [plainReply = []] = Object.values(plan.replies)
  const of = (
    backend: VariedBackend,
    name: string,
    parts: Pick<CorpusCase, 'input' | 'generation'> & { args?: JsonObject; replies?: CorpusCase['replies'] },
  ): CorpusCase => ({
    name: `${backend.label ?? backend.id} | ${name}`,
    backend: backend.id,
    args: { ...backend.base, ...parts.args },
    input: parts.input,
    generation: parts.generation,
    replies: parts.replies ?? backend.reply ?? plainReply,
  })
  const asked = inputs.flatMap(([shown, input]) =>
    generations.map(([how, generation]) => of(first, `${shown} | ${how}`, { input, generation })),
  )
  const elsewhere = others.flatMap(backend =>
    inputs.map(([shown, input], index) => {
      const [how, generation] = generations[index % generations.length] ?? ['', {}]
      return of(backend, `${shown} | ${how}`, { input, generation })
    }),
  )
  let turn = 0
  const varied = plan.backends.flatMap(backend =>
    Object.entries(backend.values).flatMap(([argument, values]) =>
      values.flatMap(value =>
        rotated(inputs, turn++, backend === first ? inputsPerValue : 2).map(([shown, input], index) => {
          const [how, generation] = generations[(turn + index) % generations.length] ?? ['', {}]
          const args = { [argument]: value }
          return of(backend, `${argument}=${JSON.stringify(value)} | ${shown} | ${how}`, { input, generation, args })
        }),
      ),
    ),
  )
  const read = [
    ...Object.entries(plan.replies).map(([name, replies]) => [name, replies, {}] as const),
    ...Object.entries(plan.streams ?? {}).map(
      ([name, replies]) => [`stream: ${name}`, replies, { stream: true }] as const,
    ),
  ].flatMap(([name, replies, args]) =>
    askers(plan).map(([who, input, generation]) =>
      of(first, `reply: ${name} | ${who}`, { input, generation, args, replies }),
    ),
  )
  const [[, anInput] = []] = inputs
  const refused = [
    ...Object.entries(plan.refused ?? {}).map(([shown, input]) =>
      of(first, `refused: ${shown}`, { input, generation: {} }),
    ),
    ...Object.entries(plan.impossible ?? {}).flatMap(([how, generation]) =>
      anInput === undefined ? [] : [of(first, `refused: ${how}`, { input: anInput, generation })],
    ),
  ]
  return [...refused, ...asked, ...elsewhere, ...varied, ...read]
}

/** The requests for each reply: a plain one, and one with stop sequences and tools if the family supports them. */
function askers({ inputs, generations }: CorpusPlan): readonly (readonly [string, Input, GenerationKwargs])[] {
  const [plain, ...rest] = Object.entries(inputs)
  if (plain === undefined) return []
  const [, until = {}] = Object.entries(generations).find(([, { until: stops }]) => stops !== undefined) ?? []
  const tooled = rest.find(([, { tools }]) => tools !== undefined) ?? plain
  return [
    [plain[0], plain[1], {}],
    [`${tooled[0]} | until`, tooled[1], until],
  ]
}

const rotated = <T>(all: readonly T[], from: number, count: number): readonly T[] =>
  Array.from({ length: Math.min(count, all.length) }, (_, index) => all[(from * 3 + index) % all.length] as T)
