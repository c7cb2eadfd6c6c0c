import type { BackendDefinition } from '../../define-backend.js'
import type { Protocol } from '../http/protocol/client.js'
import type { Endpoint } from '../http/protocol/endpoint.js'
import { parseContent } from './content-answer.js'
import { contentRequest, type ContentRules } from './content-request.js'
import { StreamedContent } from './content-stream.js'
import { contentFailure } from './failure.js'

export interface GenerateContentCall {
  readonly endpoint: Endpoint
  readonly rules: ContentRules & { readonly model: string; readonly api_version: string }
  readonly accepts: BackendDefinition['accepts']
}

/**
 * The Gemini API's `generateContent`.
 *
 * See https://ai.google.dev/api/generate-content and https://ai.google.dev/gemini-api/docs/troubleshooting
 */
export const generateContent = ({ endpoint, rules, accepts }: GenerateContentCall): Protocol => ({
  path: `${pathOf(endpoint, rules)}:generateContent`,
  // In the address, as some write it, the key would be in logs of proxies.
  headers: endpoint.apiKey === undefined ? {} : { 'x-goog-api-key': endpoint.apiKey },
  accepts,
  takesTools: true,
  write: (request, typeOf) => contentRequest(request, rules, typeOf),
  read: (received, request) => parseContent(received, request, endpoint),
  failure: answer => contentFailure(answer, endpoint),
  streaming: {
    path: `${pathOf(endpoint, rules)}:streamGenerateContent?alt=sse`,
    fields: {},
    assemble: () => new StreamedContent(endpoint),
  },
})

const pathOf = ({ path }: Endpoint, { api_version: version, model }: GenerateContentCall['rules']): string =>
  `${path}/${version}/${resourceOf(model)}`

/** `gemini-2.5-flash`, `models/gemini-2.5-flash` and `tunedModels/mine` are all names of models. */
function resourceOf(model: string): string {
  const path = model.split('/').map(encodeURIComponent).join('/')
  return model.includes('/') ? path : `models/${path}`
}
