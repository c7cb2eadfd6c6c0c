import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { frameNetwork, type Node, type Port } from './onnx-edit.js'

/** Sizes of Whisper tiny. */
const [layers, heads, headSize, positions] = [4, 6, 64, 1_500]
const width = heads * headSize
const each = Array.from({ length: layers }, (_, layer) => layer)
const kinds = ['key', 'value'] as const

/**
 * Writes Whisper tiny.en of the test data (docs of the folder: two networks with keys and values as inputs and outputs) in the layout of
 * transformers.js. The encoder's keys and values travel side by side as its `last_hidden_state`.
 */
export async function writeWhisperFolder(source: string, folder: string): Promise<void> {
  await mkdir(join(folder, 'onnx'), { recursive: true })
  const edit = async (from: string, to: string, frame: Parameters<typeof frameNetwork>[1]): Promise<void> =>
    writeFile(join(folder, 'onnx', to), frameNetwork(await readFile(join(source, from)), frame))
  await edit('encoder.onnx', 'encoder_model.onnx', encoderFrame)
  await edit('decoder.onnx', 'decoder_model_merged.onnx', decoderFrame())
  await copyFile(join(source, 'tokenizer.json'), join(folder, 'tokenizer.json'))
  const { suppress_ids: suppress, suppress_ids_begin: first } = JSON.parse(
    await readFile(join(source, 'config.json'), 'utf8'),
  ) as Readonly<Record<string, readonly number[]>>
  const write = (name: string, value: object) => writeFile(join(folder, name), JSON.stringify(value))
  await write('config.json', { ...config, architectures: ['WhisperForConditionalGeneration'] })
  await write('generation_config.json', { ...generation, suppress_tokens: suppress, begin_suppress_tokens: first })
  await write('tokenizer_config.json', { tokenizer_class: 'WhisperTokenizer', model_max_length: 1024 })
  await write('preprocessor_config.json', features)
}

const special = { bos_token_id: 50_256, eos_token_id: 50_256, pad_token_id: 50_256, decoder_start_token_id: 50_257 }
const config = {
  model_type: 'whisper',
  is_encoder_decoder: true,
  d_model: width,
  encoder_layers: layers,
  decoder_layers: layers,
  encoder_attention_heads: heads,
  decoder_attention_heads: heads,
  num_mel_bins: 80,
  vocab_size: 51_864,
  max_source_positions: positions,
  max_target_positions: 448,
  max_length: 448,
  ...special,
}
const generation = { ...special, is_multilingual: false, max_length: 448, no_timestamps_token_id: 50_362 }
const features = {
  feature_extractor_type: 'WhisperFeatureExtractor',
  processor_class: 'WhisperProcessor',
  ...{ feature_size: 80, sampling_rate: 16_000, hop_length: 160, n_fft: 400, chunk_length: 30 },
  ...{ n_samples: 480_000, nb_max_frames: 3_000, padding_value: 0, return_attention_mask: false },
}

const constants = {
  flat: [1, positions, layers * width],
  stacked: [positions, layers, width],
  joined: [1, 0, width],
  headed: [1, 0, heads, headSize],
}

const transpose = (from: string, to: string, perm: readonly number[]): Node => ({
  op: 'Transpose',
  inputs: [from],
  outputs: [to],
  attributes: { perm },
})
const reshape = (from: string, shape: keyof typeof constants, to: string): Node => ({
  op: 'Reshape',
  inputs: [from, shape],
  outputs: [to],
})
const port = (name: string, type: Port['type'], shape: Port['shape']): Port => ({ name, type, shape })
const crossName = { key: 'cross_k', value: 'cross_v' }
const hidden = (name: string): Port => port(name, 'float32', [1, positions, 2 * layers * width])

const encoderFrame = {
  inputs: [port('input_features', 'float32', [1, 80, 3_000])],
  outputs: [hidden('last_hidden_state')],
  before: [{ op: 'Identity', inputs: ['input_features'], outputs: ['mel'] }],
  after: [
    ...kinds.flatMap(kind => [
      transpose(crossName[kind], `${kind}.turned`, [1, 0, 2]),
      reshape(`${kind}.turned`, 'flat', `${kind}.flat`),
    ]),
    { op: 'Concat', inputs: ['key.flat', 'value.flat'], outputs: ['last_hidden_state'], attributes: { axis: 2 } },
  ],
  constants,
}

function decoderFrame(): Parameters<typeof frameNetwork>[1] {
  const cached = (prefix: string, size: string): readonly Port[] =>
    each.flatMap(layer =>
      kinds.map(kind => port(`${prefix}.${layer}.decoder.${kind}`, 'float32', [1, heads, size, headSize])),
    )
  return {
    inputs: [
      port('input_ids', 'int64', [1, 'n']),
      hidden('encoder_hidden_states'),
      ...cached('past_key_values', 'past'),
    ],
    outputs: [port('logits', 'float32', [1, 'n', 51_864]), ...cached('present', 'all')],
    before: [
      { op: 'Identity', inputs: ['input_ids'], outputs: ['tokens'] },
      { op: 'Split', inputs: ['encoder_hidden_states'], outputs: ['key.flat', 'value.flat'], attributes: { axis: 2 } },
      ...kinds.flatMap(kind => [
        reshape(`${kind}.flat`, 'stacked', `${kind}.stacked`),
        transpose(`${kind}.stacked`, crossName[kind], [1, 0, 2]),
        ...each.flatMap(layer => [
          transpose(`past_key_values.${layer}.decoder.${kind}`, `${kind}.${layer}.turned`, [0, 2, 1, 3]),
          reshape(`${kind}.${layer}.turned`, 'joined', `${kind}.${layer}.joined`),
        ]),
        {
          op: 'Concat',
          inputs: each.map(layer => `${kind}.${layer}.joined`),
          outputs: [`past_${kind[0]}`],
          attributes: { axis: 0 },
        },
      ]),
    ],
    after: kinds.flatMap(kind => [
      {
        op: 'Split',
        inputs: [kind[0] ?? ''],
        outputs: each.map(layer => `${kind}.${layer}.all`),
        attributes: { axis: 0 },
      },
      ...each.flatMap(layer => [
        reshape(`${kind}.${layer}.all`, 'headed', `${kind}.${layer}.headed`),
        transpose(`${kind}.${layer}.headed`, `present.${layer}.decoder.${kind}`, [0, 2, 1, 3]),
      ]),
    ]),
    constants,
  }
}
