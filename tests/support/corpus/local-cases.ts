import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parquetReadObjects } from 'hyparquet'
import { compressors } from 'hyparquet-compressors'
import { projectRoot } from '../../../cache/code/build-info.js'
import { sha256, type MediaDigest } from '../../../cache/digest.js'
import type { GenerationKwargs, Input } from '../../../cache/records.js'
import type { CorpusCase } from './cases.js'
import * as inputs from './inputs.js'

/** Cases of the dummy backend, in each of its modes. */
export function dummy(): readonly CorpusCase[] {
  const args = {
    plain: {},
    'fixed text': { mode: 'fixed', text: 'yes' },
    'fixed empty text': { mode: 'fixed' },
    'two words': { mode: 'choose' },
    'five words': { mode: 'choose', words: ['a', 'b', 'c', 'd', 'e'] },
  }
  const asked: Readonly<Record<string, Input>> = {
    ...inputs.texts,
    ...inputs.toolInputs,
    ...inputs.pictures,
    ...inputs.sounds,
    ...inputs.videos,
    ...inputs.documents,
    scored: inputs.scored('The sky is', ' blue'),
    'scored after nothing': inputs.scored('', 'blue sky'),
    'scored conversation': inputs.scoredConversation(' three words here'),
    rolling: inputs.rolling('The sky is blue'),
  }
  return Object.entries(args).flatMap(([how, given]) =>
    Object.entries(asked).flatMap(([shown, input]) =>
      [0, 1, 2].map(sample => ({
        name: `dummy | ${how} | ${shown} | sample ${sample}`,
        backend: 'dummy',
        args: given,
        input,
        generation: {},
        sample,
        replies: [],
      })),
    ),
  )
}

interface Question {
  readonly question: string
  readonly A?: string
  readonly B?: string
  readonly image: { readonly bytes: Uint8Array }
  readonly image_2?: { readonly bytes: Uint8Array }
}

const tinyvlm = join(projectRoot, 'examples', 'tinyvlm')

/** Questions to the shipped model, some with images of other sizes, which are resized. */
async function questions(): Promise<readonly Question[]> {
  const splits = ['test', 'test_resize'].map(async split => {
    const { buffer } = Uint8Array.from(readFileSync(join(tinyvlm, 'dataset', `${split}.parquet`)))
    return (await parquetReadObjects({ file: buffer, compressors, utf8: false })).slice(0, 12)
  })
  return (await Promise.all(splits)).flat() as unknown as readonly Question[]
}

const picturesOf = ({ image, image_2: second }: Question): readonly Uint8Array[] =>
  [image, second].flatMap(picture => (picture == null ? [] : [picture.bytes]))

/** The images of the questions. */
export async function localMedia(): Promise<ReadonlyMap<MediaDigest, Uint8Array>> {
  const pictures = (await questions()).flatMap(picturesOf)
  return new Map(pictures.map(bytes => [sha256<'media'>(bytes), bytes]))
}

const localGenerations: Readonly<Record<string, GenerationKwargs>> = {
  greedy: {},
  'two tokens': { max_new_tokens: 2 },
  'stop sequence': { until: ['e', ' '], max_new_tokens: 8 },
  sampled: { temperature: 0.8, top_p: 0.9, top_k: 20, seed: 3, do_sample: true, max_new_tokens: 6 },
}

/** Cases of the ONNX backend with the shipped model. */
export async function onnxVlm(): Promise<readonly CorpusCase[]> {
  const all = await questions()
  const settings = [{}, { dtype: 'int8' }, { threads: 2 }]
  const of = (name: string, args: object, input: Input, generation: GenerationKwargs = {}): CorpusCase => ({
    name: `onnx_vlm ${JSON.stringify(args)} | ${name}`,
    backend: 'onnx_vlm',
    args: { model: '{root}/examples/tinyvlm', workers: 1, ...args },
    input,
    generation,
    replies: [],
  })
  return settings.flatMap((args, setting) =>
    all.flatMap((question, index) => {
      const media = picturesOf(question).map(bytes => ({ type: 'image', media: sha256<'media'>(bytes) }) as const)
      const messages = [{ role: 'user', content: [...media, { type: 'text', text: question.question }] }] as const
      const said: Input = { type: 'generate_until', messages }
      const scored: Input = { type: 'loglikelihood', messages, continuation: ` ${question.A ?? 'red'}` }
      const ways = Object.entries(localGenerations).filter(([how]) => setting === 0 || how === 'greedy')
      return [
        ...ways.map(([how, generation]) => of(`question ${index} | ${how}`, args, said, generation)),
        of(`question ${index} | log-likelihood`, args, scored),
      ]
    }),
  )
}
