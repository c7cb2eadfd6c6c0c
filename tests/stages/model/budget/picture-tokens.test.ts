import { expect, test } from 'vitest'
import { pictureTokens } from '../../../../stages/model/budget/picture-tokens.js'

const tokens = (model: string, width: number, height: number, detail?: string): number | undefined =>
  pictureTokens({ model }, detail)?.({ width, height })

test.each([
  // Examples of OpenAI's page.
  ['gpt-4o', 1_024, 1_024, 765],
  ['gpt-4o', 2_048, 4_096, 1_105],
  ['gpt-4o', 512, 512, 255],
  ['openai/gpt-4o-mini-2024-07-18', 512, 512, 2_833 + 5_667],
  ['gpt-4.1-mini', 1_024, 1_024, Math.ceil(1.62 * 1_024)],
  ['gpt-4.1-mini', 1_800, 2_400, Math.ceil(1.62 * 1_536)],
  ['o3', 1_024, 1_024, 75 + 4 * 150],
  // Examples of Anthropic's page.
  ['claude-sonnet-4-5', 200, 200, 54],
  ['claude-sonnet-4-5', 1_000, 1_000, 1_334],
  ['claude-sonnet-4-5', 1_092, 1_092, 1_590],
  ['claude-3-opus', 4_000, 4_000, 1_600],
  // The example of Google's page.
  ['gemini-2.5-flash', 384, 384, 258],
  ['gemini-2.5-flash', 960, 540, 6 * 258],
  // Counts of the models' processors.
  ['Qwen/Qwen2.5-VL-7B-Instruct', 280, 560, 2 + 10 * 20],
  ['Qwen2-VL-2B', 28, 28, 2 + 4],
  ['Qwen3-VL-8B', 640, 320, 2 + 20 * 10],
])('%s counts a picture of %i × %i as %i tokens', (model, width, height, count) => {
  expect(tokens(model, width, height)).toBe(count)
})

test('pictures of low detail have the same number of tokens', () => {
  expect(tokens('gpt-4o', 4_000, 3_000, 'low')).toBe(85)
})

test.each(['my-model', 'gpt-4', 'gemini-3-pro', 'qwen3-32b', 'llava'])(
  'the token count of a picture is unknown for %s',
  model => {
    expect(pictureTokens({ model })).toBeUndefined()
  },
)
