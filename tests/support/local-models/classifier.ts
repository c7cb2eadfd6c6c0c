import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import sharp from 'sharp'
import type { ModelValue } from '../../../src/library/values/values.js'
import { localModel, logSoftmax, openNetwork } from './local-model.js'

/** ImageNet's classes that the words of the task stand for. ImageNet has no rocket. */
const meanings: Readonly<Record<string, readonly string[]>> = {
  'a cat': ['tabby', 'tiger cat', 'Egyptian cat'],
  'an espresso': ['espresso'],
  'a rocket': ['missile', 'projectile', 'space shuttle'],
  'a cockatoo': ['sulphur-crested cockatoo'],
  'a dog': ['golden retriever', 'beagle'],
  'an acoustic guitar': ['acoustic guitar'],
  'a sports car': ['sports car'],
  'a banana': ['banana'],
  'a lighthouse': ['beacon'],
  'a bicycle': ['mountain bike'],
}

const side = 224

/** Opens EfficientNet-Lite0. The log-likelihood of a word is that of the classes that it stands for. */
export async function openClassifier(folder: string): Promise<ModelValue> {
  const { Tensor } = await import('onnxruntime-node')
  const network = await openNetwork(join(folder, 'model.onnx'))
  const labels = (await readFile(join(folder, 'labels.txt'), 'utf8')).split('\n')
  const findClasses = (word: string): readonly number[] =>
    (meanings[word] ?? []).map(name => {
      const index = labels.findIndex(line => line.split(',')[0]?.trim() === name)
      if (index < 0) throw new Error(`no class of ImageNet begins with "${name}"`)
      return index
    })
  return localModel('efficientnet-lite0', ['image'], async ({ media: [picture], continuation }) => {
    if (picture === undefined) throw new Error('there is no picture')
    const pixels = await sharp(picture)
      .removeAlpha()
      .resize({ width: 256, height: 256, fit: 'outside', kernel: 'cubic' })
      .raw()
      .toBuffer({ resolveWithObject: true })
    const image = new Tensor('float32', cropCentre(pixels.data, pixels.info), [1, 3, side, side])
    const scores = logSoftmax((await network.run({ image }))['logits']?.data as Float32Array)
    const chances = findClasses(continuation.trim()).map(index => Math.exp(scores[index] ?? -Infinity))
    return {
      logprob: Math.log(chances.reduce((sum, chance) => sum + chance, 0)),
      isGreedy: false,
      continuationTokens: 1,
    }
  })
}

/** The centre of a picture, its channels one after the other. */
function cropCentre(
  pixels: Uint8Array,
  { width, height }: { readonly width: number; readonly height: number },
): Float32Array {
  const [left, top] = [Math.floor((width - side) / 2), Math.floor((height - side) / 2)]
  return Float32Array.from({ length: 3 * side * side }, (_, place) => {
    const [channel, y, x] = [Math.floor(place / side ** 2), Math.floor((place % side ** 2) / side), place % side]
    return pixels[((top + y) * width + left + x) * 3 + channel] ?? 0
  })
}
