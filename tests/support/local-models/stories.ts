import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ModelValue } from '../../../src/library/values/values.js'
import { localModel, logSoftmax, openNetwork } from './local-model.js'

const begin = 1

/** Opens stories260K, a language model of Llama's architecture. It gives the log-likelihood of a text without a prompt. */
export async function openStories(folder: string): Promise<ModelValue> {
  const { Tensor } = await import('onnxruntime-node')
  const network = await openNetwork(join(folder, 'stories260K.onnx'))
  const vocabulary = JSON.parse(await readFile(join(folder, 'tok512.json'), 'utf8')) as Vocabulary
  return localModel('stories260k', [], async ({ text, continuation }) => {
    const tokens = [begin, ...tokenize(`${text}${continuation}`, vocabulary)]
    const shape = [1, tokens.length]
    const integers = (values: readonly number[]) => new Tensor('int64', BigInt64Array.from(values, BigInt), shape)
    const output = await network.run({ input_ids: integers(tokens), position_ids: integers([...tokens.keys()]) })
    const logits = output['logits']?.data as Float32Array
    const size = vocabulary.tokens.length
    const scores = tokens
      .slice(1)
      .map((token, at) => logSoftmax(logits.subarray(at * size, (at + 1) * size))[token] ?? NaN)
    return {
      logprob: scores.reduce((sum, score) => sum + score, 0),
      isGreedy: false,
      continuationTokens: scores.length,
    }
  })
}

interface Vocabulary {
  readonly tokens: readonly string[]
  readonly scores: readonly number[]
}

/** Merges the pair with the best score until none is left. Source: `encode` of llama2.c (MIT). */
function tokenize(text: string, { tokens, scores }: Vocabulary): readonly number[] {
  const ids = Array.from(` ${text}`).flatMap(letter => {
    const known = tokens.indexOf(letter)
    return known >= 0 ? [known] : Array.from(Buffer.from(letter), byte => byte + 3)
  })
  for (;;) {
    let best = { score: -Infinity, at: -1, id: -1 }
    for (let at = 0; at + 1 < ids.length; at += 1) {
      const id = tokens.indexOf(`${tokens[ids[at]!]}${tokens[ids[at + 1]!]}`)
      if (id >= 0 && scores[id]! > best.score) best = { score: scores[id]!, at, id }
    }
    if (best.at < 0) return ids
    ids.splice(best.at, 2, best.id)
  }
}
