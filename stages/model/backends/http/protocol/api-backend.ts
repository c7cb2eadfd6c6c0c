import type { JsonObject, ModelIdentity } from '../../../../../cache/records.js'
import type { BackendArgs, BackendContext, Model } from '../../../define-backend.js'
import { outputArgs } from '../../../model-args.js'
import { sendingOf, type SendingArgs } from './api-arguments.js'
import type { Protocol } from './client.js'
import { endpointOf, shownBaseUrl, type Endpoint, type EndpointArgs, type EndpointRules, type Env } from './endpoint.js'

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

/** {@link addressedIdentity} of a provider's API. @throws PipelineError where the address is none, or needs a key that is not there. */
export function apiIdentity(
  rules: EndpointRules,
  given: Readonly<Record<string, unknown>> & EndpointArgs & { readonly model_version?: string | undefined },
  { args, env }: { readonly args: BackendArgs; readonly env: Env },
): ModelIdentity {
  const baseUrl = shownBaseUrl(endpointOf(rules, given, env))
  return addressedIdentity(rules.backend, given, { args, baseUrl, usual: rules.defaultBaseUrl ?? '' })
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
