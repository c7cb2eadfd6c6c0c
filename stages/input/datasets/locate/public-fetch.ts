/** Makes a `fetch` that reaches only the public internet, for addresses from untrusted users or data. */
import { lookup, type LookupAddress, type LookupOptions } from 'node:dns'
import { isIP } from 'node:net'
import { Agent, buildConnector, fetch as undiciFetch } from 'undici'
import { PipelineError } from '../../../../base/errors/errors.js'
import { isPublicAddress } from '../../../../base/network/public-address.js'

type Resolve = (
  host: string,
  options: LookupOptions & { readonly all: true },
  done: (error: NodeJS.ErrnoException | null, found?: LookupAddress[]) => void,
) => void

export interface PublicHosts {
  /** Resolves names. @default the resolver of the system */
  readonly resolve?: Resolve
  /** Decides which addresses may be reached. @default isPublicAddress */
  readonly isAllowed?: (address: string) => boolean
}

const connectTimeoutMs = 10_000

/** The address is not one that may be reached. It is no passing failure: a retry would find the same. */
const refusal = (host: string, address: string): PipelineError =>
  new PipelineError(
    'usage',
    `${host} is refused: ${host === address ? 'it' : address} is not an address of the public internet`,
  )

/**
 * Makes a connector that rejects hosts of this machine and of private networks. It checks the resolved address that the socket connects to, so that
 * DNS cannot change in between. Each redirect opens a new connection, which is also checked.
 */
function publicConnector({ resolve = lookup, isAllowed = isPublicAddress }: PublicHosts = {}) {
  const connect = buildConnector({
    timeout: connectTimeoutMs,
    lookup: (host, options, done) => {
      resolve(host, { ...options, all: true }, (error, addresses = []) => {
        const [first] = addresses
        if (error !== null || first === undefined) {
          done(error ?? new Error(`${host} has no address`), '', 0)
          return
        }
        // One refused address is enough: which of several is connected to is not known here.
        const refused = addresses.find(({ address }) => !isAllowed(address))
        if (refused !== undefined) done(refusal(host, refused.address), '', 0)
        else if (options.all === true) done(null, addresses)
        else done(null, first.address, first.family)
      })
    },
  })
  const connectAllowed: buildConnector.connector = (options, callback) => {
    // A host that is an address is connected to without a lookup.
    const host = options.hostname.replace(/^\[|\]$/g, '')
    if (isIP(host) !== 0 && !isAllowed(host)) callback(refusal(host, host), null)
    else connect(options, callback)
  }
  return connectAllowed
}

/**
 * Makes a `fetch` through {@link publicConnector}. It ignores proxies of the environment, because a proxy would resolve names without the check.
 *
 * @throws TypeError with a PipelineError as its cause if a host is refused
 */
export function publicFetch(hosts: PublicHosts = {}): typeof globalThis.fetch {
  const dispatcher = new Agent({ connect: publicConnector(hosts) })
  // The types of undici's fetch and of Node's are the same but for their origin.
  const fetchChecked = (input: string | URL | Request, init?: RequestInit): Promise<unknown> =>
    undiciFetch(input instanceof Request ? input.url : input, {
      ...(init as Parameters<typeof undiciFetch>[1]),
      dispatcher,
    })
  return fetchChecked as typeof globalThis.fetch
}
