import { cp, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import type { ChatMessage } from '../../../../../cache/records.js'
import { sha256 } from '../../../../../cache/digest.js'
import { readVlmConfig } from '../../../../../stages/model/backends/onnx-vlm/model-config.js'
import { openPrompter, type Prompter } from '../../../../../stages/model/backends/onnx-vlm/prompt.js'
import { temporaryFolder } from '../../../../support/store.js'
import { ask, goldenJson, tinyvlm } from './tinyvlm.js'

interface GoldenPrompt {
  readonly id: string
  readonly question: string
  readonly num_images: number
  readonly chat_prompt: string
  readonly expanded_prompt: string
  readonly input_ids: readonly number[]
}

const picture = sha256<'media'>('a picture')
let prompter: Prompter
beforeAll(async () => {
  prompter = await openPrompter(tinyvlm, await readVlmConfig(tinyvlm))
})

test.each(goldenJson<readonly GoldenPrompt[]>('prompts.json'))('the prompt of $id equals the reference', golden => {
  const messages = ask(golden.question, new Array<typeof picture>(golden.num_images).fill(picture))
  const text = prompter.render(messages)
  expect(text).toBe(golden.chat_prompt)
  expect(prompter.expand(text)).toBe(golden.expanded_prompt)
  expect(prompter.encode(messages).ids).toEqual(golden.input_ids)
})

test('the prompt contains system and earlier messages in order', () => {
  const messages: readonly ChatMessage[] = [
    { role: 'system', content: [{ type: 'text', text: 'Be brief.' }] },
    { role: 'user', content: [{ type: 'text', text: 'Is there a ring?' }] },
    { role: 'assistant', content: [{ type: 'text', text: 'yes' }] },
    ...ask('Which color?', [picture]),
  ]
  expect(prompter.render(messages)).toBe(
    '<|im_start|>System: Be brief.<end_of_utterance>\nUser: Is there a ring?<end_of_utterance>\n' +
      'Assistant: yes<end_of_utterance>\nUser:<image>Which color?<end_of_utterance>\nAssistant:',
  )
})

test('pictures are in the order of their positions', () => {
  const other = sha256<'media'>('another picture')
  expect(prompter.encode(ask('Which?', [picture, other])).pictures).toEqual([picture, other])
})

test('rejects a text that contains the placeholder of a picture', () => {
  const messages = ask('What does <image> mean?', [picture])
  expect(() => prompter.encode(messages)).toThrow('2 places for pictures (<image>) and 1 pictures')
})

test('rejects media other than whole images by name', () => {
  const sound: ChatMessage = { role: 'user', content: [{ type: 'audio', media: sha256('a sound') }] }
  const cropped: ChatMessage = { role: 'user', content: [{ type: 'image', media: picture, derive: { longest: 8 } }] }
  expect(() => prompter.encode([sound])).toThrow('not audio')
  expect(() => prompter.encode([cropped])).toThrow('derived by {"longest":8}')
})

test.each([
  ['tokenizer.json', '{"version": "1.0", "mod', /tokenizer\.json: it is not JSON: .* copy or download it again/],
  ['tokenizer.json', '[]', /tokenizer\.json: onnx_vlm cannot run this model/],
  ['tokenizer.json', '{"added_tokens": []}', /tokenizer\.json: model: onnx_vlm cannot run this model/],
  [
    'tokenizer.json',
    '{"model": {"type": "BPE"}, "added_tokens": []}',
    /tokenizer\.json: no tokenizer can be made of it: .* copy or download it again/,
  ],
  ['tokenizer_config.json', 'null', /tokenizer_config\.json: onnx_vlm cannot run this model/],
  ['tokenizer_config.json', '', /tokenizer_config\.json: it is not JSON/],
  ['chat_template.jinja', '{% for m in', /chat_template\.jinja: it is no chat template: .* copy or download it again/],
  ['config.json', '{', /[/]config\.json: it is not JSON: .* copy or download it again/],
])('names a broken file of the model and says what to do: %s with %s', async (file, text, message) => {
  const dir = await temporaryFolder()
  await cp(tinyvlm, dir, { recursive: true, filter: path => !path.endsWith('.onnx') })
  await writeFile(join(dir, file), text)
  const opened = (async () => openPrompter(dir, await readVlmConfig(dir)))()
  await expect(opened).rejects.toMatchObject({
    name: 'PipelineError',
    problems: [expect.stringMatching(message) as string],
  })
})
