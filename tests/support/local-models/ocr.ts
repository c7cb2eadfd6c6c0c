import { readFile } from 'node:fs/promises'
import sharp from 'sharp'
import type { ModelValue } from '../../../src/library/values/values.js'
import { localModel, openNetwork } from './local-model.js'

/** The height of the pictures that the network reads. */
const height = 48

/**
 * Opens PP-OCRv4's recognition of one line of text. Its answer is the most likely letter of each column without repetitions and blanks (CTC). The
 * log-likelihood of a text is that of all ways to write it.
 */
export async function openOcr(files: { readonly recognition: string; readonly letters: string }): Promise<ModelValue> {
  const { Tensor } = await import('onnxruntime-node')
  const network = await openNetwork(files.recognition)
  const listed = (await readFile(files.letters, 'utf8')).split('\n').map(line => line.replace('\r', ''))
  const letters = ['', ...listed.slice(0, 6_623), ' ']
  const read = async (bytes: Uint8Array): Promise<readonly Float32Array[]> => {
    const { data, width } = await toPixels(bytes)
    const x = new Tensor('float32', data, [1, 3, height, width])
    const output = (await network.run({ x }))[network.outputNames[0]!]!
    const [, columns = 0, classes = 0] = output.dims
    const all = output.data as Float32Array
    return Array.from({ length: columns }, (_, column) => all.subarray(column * classes, (column + 1) * classes))
  }
  // The choices of a question follow each other, and each is scored in the same picture.
  let last: { readonly picture: Buffer; readonly columns: Promise<readonly Float32Array[]> } | undefined
  return localModel('pp-ocrv4-rec', ['image'], async ({ media: [picture], continuation }) => {
    if (picture === undefined) throw new Error('there is no picture')
    if (last?.picture.equals(picture) !== true) last = { picture: Buffer.from(picture), columns: read(picture) }
    const columns = await last.columns
    if (continuation === '') return { text: readGreedily(columns, letters) }
    const wanted = Array.from(continuation.trim(), letter => letters.indexOf(letter))
    return { logprob: scoreText(columns, wanted), isGreedy: false, continuationTokens: wanted.length }
  })
}

/** The channels of a picture one after the other, blue first, from -1 to 1. */
async function toPixels(bytes: Uint8Array): Promise<{ readonly data: Float32Array; readonly width: number }> {
  const { data: pixels, info } = await sharp(bytes)
    .removeAlpha()
    .toColourspace('srgb')
    .resize({ height })
    .raw()
    .toBuffer({ resolveWithObject: true })
  const { width, channels } = info
  const data = new Float32Array(3 * height * width)
  for (let place = 0; place < height * width; place += 1)
    for (let channel = 0; channel < 3; channel += 1) {
      const value = pixels[place * channels + Math.min(2 - channel, channels - 1)]!
      data[channel * height * width + place] = value / 127.5 - 1
    }
  return { data, width }
}

function readGreedily(columns: readonly Float32Array[], letters: readonly string[]): string {
  const best = columns.map(column => column.indexOf(Math.max(...column)))
  return best.map((letter, at) => (letter === 0 || letter === best[at - 1] ? '' : letters[letter])).join('')
}

/** Computes the logarithm of a text's probability over all alignments. Source: Graves et al. 2006, the forward variables of CTC. */
function scoreText(columns: readonly Float32Array[], text: readonly number[]): number {
  const states = [0, ...text.flatMap(letter => [letter, 0])]
  let forward = states.map((letter, at) => (at < 2 ? columns[0]![letter]! : 0))
  for (const column of columns.slice(1))
    forward = states.map((letter, at) => {
      const skips = at > 1 && letter !== 0 && letter !== states[at - 2]
      const before = forward[at]! + (forward[at - 1] ?? 0) + (skips ? forward[at - 2]! : 0)
      return before * column[letter]!
    })
  return Math.log((forward.at(-1) ?? 0) + (forward.at(-2) ?? 0))
}
