import type { JsonObject, ModelIdentity } from '../../../../cache/records.js'
import type { BackendArgs, BackendContext, Model } from '../../define-backend.js'
import { outputArgs } from '../../model-args.js'
import { sendingOf, type SendingArgs } from './api-arguments.js'
import type { Protocol } from './client.js'
import { endpointOf, type Endpoint, type EndpointArgs, type EndpointRules } from './endpoint.js'

/**
 * Who answers at an address. The address is left out where it is the API's own, or where `model_version` names what answers there.
 *
 * @param usual the address of the API's own provider
 */
export function addressedIdentity(
  backend: string,
  given: Readonly<Record<string, unknown>> & { readonly model_version?: string | undefined },
  { args, baseUrl, usual }: { readonly args: BackendArgs; readonly baseUrl: string; readonly usual: string },
): ModelIdentity {
  const isNamed = given.model_version !== undefined || baseUrl === usual
  const kept: JsonObject = outputArgs({ args }, { ...given, base_url: isNamed ? undefined : baseUrl })
  return { backend, args: kept }
}

/** A client at the address that the arguments come to. What sends is loaded here: asking who answers does not need it. */
export async function openApi(
  args: EndpointArgs & SendingArgs,
  context: BackendContext,
  { rules, protocol }: { readonly rules: EndpointRules; readonly protocol: (endpoint: Endpoint) => Protocol },
): Promise<Model> {
  const endpoint = endpointOf(rules, args, context.env)
  const { openClient } = await import('./client.js')
  return openClient({ endpoint, protocol: protocol(endpoint), sending: sendingOf(args), context })
}
