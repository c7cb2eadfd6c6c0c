import type { PictureSize } from '../../../base/media/picture-size.js'
import type { PricedModel } from './price.js'

/** Computes the tokens of an image from its size. */
export type PictureTokens = (size: PictureSize) => number

/**
 * Returns how a model counts image tokens, as its provider publishes it. Undefined for an unknown model. It is an
 * estimate, because servers may use other settings (`min_pixels`).
 *
 * Sources, looked up 2026: OpenAI, "Images and vision", calculating costs; Anthropic, "Vision", image costs; Google,
 * "Understand and count tokens" of the Gemini API (models before 3); Qwen2-VL's and Qwen3-VL's image processors
 * (`smart_resize`).
 *
 * @param detail OpenAI's `detail`: with `low`, all images cost the same
 */
export function pictureTokens({ model }: Pick<PricedModel, 'model'>, detail?: unknown): PictureTokens | undefined {
  const name = model.toLowerCase().replace(/^.*\//, '')
  return rules.find(([pattern]) => pattern.test(name))?.[1](detail === 'low')
}

type Rule = (isLow: boolean) => PictureTokens

const makeTileRule =
  (base: number, tile: number): Rule =>
  isLow =>
  size =>
    base + (isLow ? 0 : tile * openaiTiles(size))

const makePatchRule =
  (factor: number): Rule =>
  () =>
  ({ width, height }) =>
    Math.ceil(factor * Math.min(1_536, Math.ceil(width / 32) * Math.ceil(height / 32)))

/** The image is scaled down to fit 2048 × 2048, then until the shorter side is at most 768. */
function openaiTiles({ width, height }: PictureSize): number {
  const fit = Math.min(1, 2_048 / Math.max(width, height))
  const shrunk = fit * Math.min(1, 768 / (fit * Math.min(width, height)))
  return Math.ceil(Math.round(width * shrunk) / 512) * Math.ceil(Math.round(height * shrunk) / 512)
}

/** An image with a side above 1568 pixels, or with more than 1600 tokens, is scaled down first. */
function anthropicTokens({ width, height }: PictureSize): number {
  const scale = Math.min(1, 1_568 / Math.max(width, height))
  return Math.min(1_600, Math.ceil((width * height * scale * scale) / 750))
}

/** The image is cut into squares of two thirds of the shorter side, between 256 and 768 pixels. */
function geminiTokens({ width, height }: PictureSize): number {
  if (Math.max(width, height) <= 384) return 258
  const unit = Math.min(768, Math.max(256, Math.floor(Math.min(width, height) / 1.5)))
  return 258 * Math.ceil(width / unit) * Math.ceil(height / unit)
}

/** Sides are rounded to the factor, within the pixel limits. Each square is a token, between a start and an end token. */
const qwen =
  (factor: number, least: number, most: number): Rule =>
  () =>
  ({ width, height }) => {
    const area = width * height
    const [scale, round] =
      area > most
        ? [Math.sqrt(most / area), Math.floor]
        : area < least
          ? [Math.sqrt(least / area), Math.ceil]
          : [1, Math.round]
    const squares = (side: number): number => Math.max(1, round((side * scale) / factor))
    return 2 + squares(width) * squares(height)
  }

/** The first rule that matches the model applies. */
const rules: readonly (readonly [RegExp, Rule])[] = [
  [/^gpt-4o-mini/, makeTileRule(2_833, 5_667)],
  [/^(gpt-4\.1-mini|gpt-5-mini)/, makePatchRule(1.62)],
  [/^(gpt-4\.1-nano|gpt-5-nano)/, makePatchRule(2.46)],
  [/^o4-mini/, makePatchRule(1.72)],
  [/^(gpt-4o|gpt-4\.1|gpt-4\.5|gpt-4-turbo|gpt-4-vision|chatgpt-4o)/, makeTileRule(85, 170)],
  [/^gpt-5(-chat|-20|$)/, makeTileRule(70, 140)],
  [/^(o1|o3)(-pro|-20|$)/, makeTileRule(75, 150)],
  [/^claude/, () => anthropicTokens],
  [/^gemini-(1\.5|2)/, () => geminiTokens],
  [/^qwen2(\.5)?-?vl/, qwen(28, 4 * 28 * 28, 16_384 * 28 * 28)],
  [/^qwen3-?vl/, qwen(32, 64 * 32 * 32, 16_384 * 32 * 32)],
]
