import { join } from 'node:path'
import { Template } from '@huggingface/jinja'
import { Tokenizer } from '@huggingface/tokenizers'
import { z } from 'zod'
import { messageOf, PipelineError } from '../../../../base/errors/errors.js'
import type { MediaDigest } from '../../../../cache/digest.js'
import type { ChatMessage, ContentPart } from '../../../../cache/records.js'
import { AttemptError } from '../../model.js'
import { runParser, readJson, readModelText, type VlmConfig } from './model-config.js'

/** A conversation in the form that the model reads. */
export interface Prompt {
  readonly ids: readonly number[]
  /** The images in the order of their places in the prompt. */
  readonly pictures: readonly MediaDigest[]
}

/** Converts text to tokens and back, with the model's own tokenizer and chat template. */
export interface Prompter {
  /** Renders the conversation with the chat template, up to where the model's answer begins. */
  render(messages: readonly ChatMessage[]): string
  /** Replaces each image's placeholder in the rendered text by the tokens that stand for it. */
  expand(text: string): string
  encode(messages: readonly ChatMessage[]): Prompt
  tokens(text: string): number[]
  decode(ids: readonly number[]): string
}

// The token is defined in the processor's class, not in a file of the model. Source: transformers, Idefics3Processor.
const imageBoundary = '<fake_token_around_image>'
const wholeImage = '<global-img>'

const objectSchema = z.looseObject({})
// The schema checks these fields, because the library does not, and fails at the first text.
const tokenizerSchema = z.looseObject({ model: z.looseObject({}), added_tokens: z.array(z.looseObject({})) })

/** @throws PipelineError `config` if a file is invalid, or if the tokenizer lacks a token that images need */
export async function openPrompter(dir: string, config: VlmConfig): Promise<Prompter> {
  const settings = await readJson(join(dir, 'tokenizer_config.json'), objectSchema)
  const tokenizerFile = join(dir, 'tokenizer.json')
  const description = await readJson(tokenizerFile, tokenizerSchema)
  const tokenizer = runParser(
    tokenizerFile,
    'no tokenizer can be made of it',
    () => new Tokenizer(description, settings),
  )
  const templateFile = join(dir, 'chat_template.jinja')
  const source = await readModelText(templateFile)
  const template = runParser(templateFile, 'it is no chat template', () => new Template(source))
  const image = imageToken(tokenizer, config, dir)
  const wholePicture = `${imageBoundary}${wholeImage}${image.repeat(config.imageTokens)}${imageBoundary}`

  const tokens = (text: string) => tokenizer.encode(text, { add_special_tokens: false }).ids
  const expand = (text: string) => text.split(image).join(wholePicture)
  const render = (messages: readonly ChatMessage[]) => renderTemplate(template, settings, messages)
  return {
    render,
    expand,
    tokens,
    decode: ids => tokenizer.decode([...ids], { skip_special_tokens: true, clean_up_tokenization_spaces: false }),
    encode(messages) {
      const pictures = messages.flatMap(message => message.content.flatMap(listPictures))
      const text = render(messages)
      const placeholders = text.split(image).length - 1
      if (placeholders !== pictures.length) throw wrongPlaces(image, placeholders, pictures.length)
      return { ids: tokens(expand(text)), pictures }
    },
  }
}

function imageToken(tokenizer: Tokenizer, config: VlmConfig, dir: string): string {
  const image = tokenizer.id_to_token(config.imageTokenId)
  const missing = [imageBoundary, wholeImage].filter(token => tokenizer.token_to_id(token) === undefined)
  if (image !== undefined && missing.length === 0) return image
  const what = image === undefined ? `image_token_id ${config.imageTokenId}` : missing.join(' and ')
  throw new PipelineError('config', `${join(dir, 'tokenizer.json')}: has no ${what}, which stands for pictures`)
}

function renderTemplate(
  template: Template,
  settings: Readonly<Record<string, unknown>>,
  messages: readonly ChatMessage[],
): string {
  try {
    return template.render({
      bos_token: settings['bos_token'],
      eos_token: settings['eos_token'],
      messages: messages.map(message => ({ role: message.role, content: message.content.map(templatePart) })),
      add_generation_prompt: true,
    })
  } catch (error) {
    const why = messageOf(error)
    throw new AttemptError('invalid_request', `the model's chat template refuses the messages: ${why}`, {
      isRetryable: false,
      cause: error,
    })
  }
}

const templatePart = (part: ContentPart) =>
  part.type === 'text' ? { type: 'text', text: part.text } : { type: part.type }

function listPictures(part: ContentPart): MediaDigest[] {
  if (part.type === 'text') return []
  if (part.type === 'image' && part.derive === undefined) return [part.media]
  const what = part.type === 'image' ? `an image derived by ${JSON.stringify(part.derive)}` : part.type
  throw new AttemptError('invalid_request', `onnx_vlm takes text and images as they are, not ${what}`, {
    isRetryable: false,
  })
}

const wrongPlaces = (image: string, placeholders: number, pictures: number) =>
  new AttemptError(
    'invalid_request',
    `the prompt has ${placeholders} places for pictures (${image}) and ${pictures} pictures: ` +
      `a text that holds ${image} itself cannot be told from a place`,
    { isRetryable: false },
  )
