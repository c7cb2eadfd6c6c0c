import { execFileSync } from 'node:child_process'
import type { ModelValue } from '../../../src/library/values/values.js'
import { localModel, openNetwork } from './local-model.js'

const [rate, frame, before] = [16_000, 512, 64]

/** Opens Silero's voice detection, version 5. It says `yes` if a tenth of a second or more sounds like speech. Needs ffmpeg. */
export async function openVoiceDetector(file: string): Promise<ModelValue> {
  const { Tensor } = await import('onnxruntime-node')
  const network = await openNetwork(file)
  const sr = new Tensor('int64', BigInt64Array.of(BigInt(rate)), [])
  return localModel('silero-vad-v5', ['audio'], async ({ media: [sound] }) => {
    if (sound === undefined) throw new Error('there is no sound')
    const samples = decodeSound(sound)
    let state = new Tensor('float32', new Float32Array(2 * 128), [2, 1, 128])
    let spoken = 0
    for (let start = 0; start + frame <= samples.length; start += frame) {
      const window = new Float32Array(before + frame)
      window.set(samples.subarray(Math.max(0, start - before), start), start === 0 ? before : 0)
      window.set(samples.subarray(start, start + frame), before)
      const said = await network.run({ input: new Tensor('float32', window, [1, before + frame]), state, sr })
      state = said['stateN'] as typeof state
      if (Number(said['output']?.data[0]) > 0.5) spoken += 1
    }
    return { text: (spoken * frame) / rate >= 0.1 ? 'yes' : 'no' }
  })
}

function decodeSound(bytes: Uint8Array): Float32Array {
  const args = ['-v', 'error', '-i', 'pipe:0', '-ac', '1', '-ar', String(rate), '-f', 'f32le', '-']
  return new Float32Array(Uint8Array.from(execFileSync('ffmpeg', args, { input: bytes, maxBuffer: 2 ** 26 })).buffer)
}
