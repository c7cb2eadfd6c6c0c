import type { GenerationKwargs, Input, JsonObject } from '../../../cache/records.js'

/** What the stand-in server answers with. `{origin}` in it is the server's own address. */
export interface CannedReply {
  /** @default 200 */
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body: string
}

/** Answers by what it is asked. Its replies are recorded with the case, and replayed as they are. */
export type Responder = (request: { readonly path: string; readonly body: string }) => CannedReply

/** One request to one backend, with the replies that it gets. */
export interface CorpusCase {
  /** Unique in its family. */
  readonly name: string
  readonly backend: string
  /** As given with `--model-args`. `{origin}` is the server's address, `{root}` the project's folder. */
  readonly args: JsonObject
  readonly input: Input
  readonly generation: GenerationKwargs
  readonly sample?: number
  /** In the order of the requests. The last one answers all further requests. */
  readonly replies: readonly CannedReply[] | Responder
}

type Named<T> = Readonly<Record<string, T>>

/** A backend of a family, with the arguments that every case of it has and further values for each argument. */
export interface VariedBackend {
  readonly id: string
  /** Stands for the id in names of cases. @default the id */
  readonly label?: string
  /** What a plain request to it is answered with. @default the first reply of the family */
  readonly reply?: CorpusCase['replies']
  readonly base: JsonObject
  /** Further values for each argument that affects output. */
  readonly values: Named<readonly JsonObject[string][]>
}

/** What the cases of a family are combined from. The first backend and the first of each list are the plain ones. */
export interface CorpusPlan {
  readonly backends: readonly [VariedBackend, ...VariedBackend[]]
  readonly inputs: Named<Input>
  readonly generations: Named<GenerationKwargs>
  /** Inputs that are refused before anything is sent. */
  readonly refused?: Named<Input>
  /** Ways of generating that are refused before anything is sent. */
  readonly impossible?: Named<GenerationKwargs>
  /** Answers in one piece. */
  readonly replies: Named<CorpusCase['replies']>
  /** Answers in pieces, asked for with `stream=true`. */
  readonly streams?: Named<CorpusCase['replies']>
}

/** How many inputs each value of an argument is combined with. */
const inputsPerValue = 4

/**
 * All combinations that a family is checked with: each input with each way of generating, each value of each argument with
 * several inputs, each reply to a plain request and to one with tools and stop sequences, each backend with each input.
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

/** Who gets each reply: a plain request, and one that stop sequences and tools are given with, where the family takes them. */
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
