import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { PipelineError, systemCode } from '../../../base/errors/errors.js'
import { describeCause } from '../../../stages/input/datasets/hub/hub-fetch.js'

/**
 * The time in which a server must answer, in milliseconds, and which a package has if it does not. Packages try for two minutes, and say
 * nothing meanwhile.
 */
const usualAnswerMs = 10_000

/** Codes of errors which say that nothing answers at an address. A package may get through where another error occurs, such as one of certificates. */
const unreachable = new Set([
  ...['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'ENOTFOUND', 'EAI_AGAIN', 'ETIMEDOUT'],
  'UND_ERR_CONNECT_TIMEOUT',
])

interface GuardedServer {
  readonly tool: string
  /** The address of the server. Undefined if the package needs none. */
  readonly server: string | undefined
  readonly signal: AbortSignal
  readonly answerMs?: number
}

/**
 * Sends a run through a package while it looks whether the tracker's server answers. If it does not, the package is ended soon.
 *
 * @param send gets a signal that ends the package
 * @throws PipelineError if nothing answers at the address
 */
export async function guardServer<Result>(
  { tool, server, signal, answerMs = usualAnswerMs }: GuardedServer,
  send: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  if (server === undefined || !URL.canParse(server)) return send(signal)
  const { origin } = new URL(server)
  const [end, sent] = [new AbortController(), new AbortController()]
  const guard = async (): Promise<void> => {
    const startedAt = performance.now()
    const why = await findProblem(origin, { signal: AbortSignal.any([signal, sent.signal]), answerMs })
    if (why === undefined) return
    await sleep(Math.max(0, answerMs - (performance.now() - startedAt)), undefined, { signal: sent.signal })
    end.abort(
      new PipelineError(
        'usage',
        `${tool}: ${origin} can't be reached: ${why}. Send the run later with pipeline track, or name another server or mode, such as mode=offline`,
      ),
    )
  }
  // A wait that was ended because the run is sent is no failure.
  const guarding = guard().catch((error: unknown) => {
    if (!sent.signal.aborted) throw error
  })
  try {
    return await send(AbortSignal.any([signal, end.signal]))
  } catch (error) {
    signal.throwIfAborted()
    throw end.signal.aborted ? end.signal.reason : error
  } finally {
    sent.abort()
    await guarding
  }
}

/** Returns why no connection is accepted; undefined if it is. */
const findConnectionProblem = ({ hostname, port }: URL, answerMs: number): Promise<string | undefined> =>
  new Promise(resolve => {
    const socket = connect({ host: hostname, port: Number(port), timeout: answerMs })
    const end = (problem: string | undefined): void => {
      socket.destroy()
      resolve(problem)
    }
    socket.once('connect', () => {
      end(undefined)
    })
    socket.once('timeout', () => {
      end('no connection')
    })
    socket.once('error', error => {
      end(describeCause(error))
    })
  })

/** Returns why nothing answers at an address; undefined if something does, or if it is not known. */
async function findProblem(
  origin: string,
  { signal, answerMs }: Pick<GuardedServer, 'signal'> & { readonly answerMs: number },
): Promise<string | undefined> {
  const limit = AbortSignal.timeout(answerMs)
  try {
    const reply = await fetch(origin, { method: 'HEAD', redirect: 'manual', signal: AbortSignal.any([signal, limit]) })
    await reply.body?.cancel()
    return undefined
  } catch (error) {
    if (signal.aborted) return undefined
    if (limit.aborted) return `no answer within ${answerMs / 1_000} s`
    const cause = error instanceof Error ? error.cause : undefined
    // Fetch refuses some ports, such as 9 and 6000, which a package does not.
    if (cause instanceof Error && cause.message === 'bad port') return findConnectionProblem(new URL(origin), answerMs)
    const code = systemCode(error) ?? systemCode(cause)
    return code !== undefined && unreachable.has(code) ? describeCause(error) : undefined
  }
}
