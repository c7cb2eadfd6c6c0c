import { makeLastingFile } from '../../../../../cache/media/lasting-file.js'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { asyncBufferFromFile, parquetReadObjects } from 'hyparquet'
import { compressors } from 'hyparquet-compressors'
import { sha256, type MediaDigest } from '../../../../../cache/digest.js'
import type { ChatMessage, Input } from '../../../../../cache/records.js'
import type { BackendContext } from '../../../../../stages/model/define-backend.js'

/** The model that ships with the project, its benchmark, and the reference implementation's answers. */
export const tinyvlm = fileURLToPath(new URL('../../../../../examples/tinyvlm', import.meta.url))

type Letter = 'A' | 'B' | 'C' | 'D'
export const letters: readonly Letter[] = ['A', 'B', 'C', 'D']

export interface Question extends Partial<Record<Letter, string>> {
  readonly id: string
  readonly question: string
  readonly answer: string
  readonly image: { readonly bytes: Uint8Array }
  readonly image_2?: { readonly bytes: Uint8Array }
}

export interface Golden {
  readonly id: string
  readonly greedy: string
  readonly greedy_ids: readonly number[]
  readonly gold: { readonly continuation: string; readonly logprob: number; is_greedy: boolean; num_tokens: number }
  readonly options?: Readonly<Record<Letter, number>>
  readonly mc?: { readonly greedy: string; readonly letters: Readonly<Record<Letter, number>> }
}

export type Split = 'test' | 'test_resize'

export async function questions(split: Split): Promise<readonly Question[]> {
  const file = await asyncBufferFromFile(`${tinyvlm}/dataset/${split}.parquet`)
  const rows = await parquetReadObjects({ file, compressors, utf8: false })
  return rows as unknown as readonly Question[]
}

/** Parses the JSON of a golden file. The caller states its type. */
// eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters
export const goldenJson = <Content>(name: string): Content =>
  JSON.parse(readFileSync(`${tinyvlm}/golden/${name}`, 'utf8')) as Content

export function goldenAnswers(split: Split): ReadonlyMap<string, Golden> {
  const lines = readFileSync(`${tinyvlm}/golden/${split}.jsonl`, 'utf8').trim().split('\n')
  return new Map(lines.map(line => JSON.parse(line) as Golden).map(golden => [golden.id, golden]))
}

export const picturesOf = (question: Question): readonly Uint8Array[] =>
  [question.image, question.image_2].flatMap(image => (image === undefined ? [] : [image.bytes]))

/** The lettered prompt that the model saw in its training. */
export const lettered = (question: Question): string =>
  `${question.question}\n${letters.map(letter => `${letter}. ${question[letter]!}`).join('\n')}` +
  "\nAnswer with the option's letter from the given choices directly."

/** Media in memory, and the context of a backend. */
export function memoryContext() {
  const media = new Map<MediaDigest, Uint8Array>()
  const add = (bytes: Uint8Array): MediaDigest => {
    const digest = sha256<'media'>(bytes)
    media.set(digest, bytes)
    return digest
  }
  const context: BackendContext = {
    env: {},
    readMedia(digest) {
      const bytes = media.get(digest)
      return bytes === undefined ? Promise.reject(new Error(`no medium ${digest}`)) : Promise.resolve(bytes)
    },
    openMediaFile: digest => Promise.resolve(makeLastingFile(`/nowhere/${digest}`)),
    fileDigest: async path => sha256(await readFile(path)),
  }
  return { add, context }
}

/** One user message: the pictures, then the text. */
export const ask = (text: string, pictures: readonly MediaDigest[]): readonly ChatMessage[] => [
  { role: 'user', content: [...pictures.map(media => ({ type: 'image', media }) as const), { type: 'text', text }] },
]

export const greedy = (messages: readonly ChatMessage[]): Input => ({ type: 'generate_until', messages })

export const likelihood = (messages: readonly ChatMessage[], continuation: string): Input => ({
  type: 'loglikelihood',
  messages,
  continuation,
})

export const hexDigest = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')
