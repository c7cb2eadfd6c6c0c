import { PipelineError } from '../../../../base/errors.js'
import { firstSet, type Env } from '../http/protocol/endpoint.js'

export const usualAddress = 'http://127.0.0.1:11434'
const usualPort = 11_434

/**
 * Where the server is; `$OLLAMA_HOST` as it is written for the server itself: `0.0.0.0`, `gpu-box:11434`, `http://…`.
 *
 * @throws PipelineError where that is no address.
 */
export function ollamaAddress({ base_url: given }: { readonly base_url?: string | undefined }, env: Env): string {
  const address = given ?? firstSet(env['OLLAMA_BASE_URL'])
  if (address !== undefined) return address
  const host = firstSet(env['OLLAMA_HOST'])?.trim()
  if (host === undefined) return usualAddress
  const isWhole = host.includes('://')
  const text = isWhole ? host : `http://${host}`
  if (!URL.canParse(text))
    throw new PipelineError('config', `model ollama: $OLLAMA_HOST is no address. Give base_url=${usualAddress}`)
  const url = new URL(text)
  // What it listens on is no address to ask.
  if (url.hostname === '0.0.0.0') url.hostname = '127.0.0.1'
  if (url.port === '' && !isWhole) url.port = String(usualPort)
  return url.href.replace(/\/$/, '')
}

/** Whether an address is that of the OpenAI-compatible API. */
export const isCompatible = (address: string): boolean => /\/v1\/?(chat\/completions)?$/.test(address)
