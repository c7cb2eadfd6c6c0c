/** Words the reason why a session ended before its run was complete. The text is stored. */
import { messageOf, PipelineError } from '../../../base/errors/errors.js'
import { storedText } from '../../../base/errors/option-words.js'
import { shortenText } from '../../../base/text/beginning.js'
import { visibleText } from '../../../base/text/visible-text.js'
import { isSettled } from '../../../cache/facts/run-state.js'
import type { AccessFailure } from '../../../stages/model/model.js'
import type { Stop } from '../../../stages/model/budget/budget.js'
import type { Hide } from '../../config/hidden-secrets.js'
import type { StopCode, StopReason } from '../../reading/runs/session-end.js'
import type { EvalOutcome, Hooks, Stages } from '../../config/settings.js'

/** Longer messages are cut, because a page shows them on one line. */
const longest = 400

const oneSentence = (text: string): string => {
  const line = shortenText(visibleText(storedText(text)).replace(/\s+/g, ' ').trim(), longest)
  return /[.!?…]$/.test(line) ? line : `${line}.`
}

/** The facts about a session that has ended. */
export interface EndedSession {
  readonly hooks: Pick<Hooks, 'drain' | 'stop'>
  readonly stages: Required<Stages>
  readonly hide: Hide
}

/** @returns undefined if nothing is left to do */
export function reasonOfOutcome(outcome: EvalOutcome, { hooks, stages, hide }: EndedSession): StopReason | undefined {
  const { counts, failures, unjudged, judgement, stopped, judgeStopped } = outcome
  const isJudged = !stages.judge || judgement?.finishedAt !== undefined
  const isWhole = isSettled(counts) && isJudged
  if (isWhole && failures.length + unjudged === 0) return undefined
  if (!isWhole && isAborted(hooks)) return interruption(hooks, hide)
  if (stopped !== undefined) return reasonOfStop(stopped, hide)
  if (isWhole && judgeStopped !== undefined) return { code: 'judge_stopped', message: oneSentence(hide(judgeStopped)) }
  if (!stages.model && !stages.judge && counts.inputFinished)
    return { code: 'docs_only', message: 'Only its docs were to be read.' }
  if (isWhole)
    return {
      code: 'requests_failed',
      message:
        failures.length > 0
          ? 'Every request was sent, and some of them failed.'
          : 'Every request was answered, and some answers could not be scored.',
    }
  return { code: 'requests_left', message: 'Requests were left that this process could not send.' }
}

/**
 * Words an error that ended the session.
 *
 * @param isOfInput whether the docs could not be read
 */
export function reasonOfError(
  error: unknown,
  { hooks, hide, isOfInput }: Pick<EndedSession, 'hooks' | 'hide'> & { readonly isOfInput: boolean },
): StopReason {
  if (!(error instanceof PipelineError)) {
    if (isAborted(hooks)) return interruption(hooks, hide)
    return { code: 'failed', message: oneSentence(hide(`Internal error: ${messageOf(error).split('\n')[0] ?? ''}`)) }
  }
  const [first = '', ...others] = error.said
  const more = others.length === 0 ? '' : ` (and ${others.length} more)`
  const code: StopCode = error.reason === 'store-full' ? 'store_full' : isOfInput ? 'input_error' : 'failed'
  return { code, message: oneSentence(hide(first + more)) }
}

const isAborted = ({ drain, stop }: EndedSession['hooks']): boolean => drain.aborted || stop.aborted

/** Node's own error for an abort without a reason. */
const unsaid = new DOMException('This operation was aborted', 'AbortError').message

/** Makes a reason for an abort: `controller.abort(abortBecause('its job was cancelled'))`. */
export const abortBecause = (words: string): DOMException => new DOMException(words, 'AbortError')

export function interruption({ drain, stop }: EndedSession['hooks'], hide: Hide): StopReason {
  const reason: unknown = drain.aborted ? drain.reason : stop.reason
  const words = reason instanceof Error && reason.message !== unsaid ? `: ${hide(reason.message)}` : ''
  return { code: 'interrupted', message: oneSentence(`It was interrupted${words}`) }
}

function reasonOfStop({ why, limit, message, access, refused = 0 }: Stop, hide: Hide): StopReason {
  const reason = (code: StopCode, text: string): StopReason => ({ code, message: oneSentence(hide(text)) })
  const refusalText = access?.said ?? message
  if (why === 'budget' && limit === 'milliseconds') return reason('time', `Its time was over (${message})`)
  if (why === 'budget') return reason('budget', `Its budget was used up (${message})`)
  if (why === 'failures') return reason('too_many_failures', `Too many requests failed (${message})`)
  if (why === 'away') return reason('server_busy', message)
  const requests = refused > 1 ? `the first ${refused} requests` : 'a request'
  switch (access?.about) {
    case 'account':
      return reason('account_exhausted', `The account is used up: ${refusalText}`)
    case 'connection':
      return reason('unreachable', `No server answered: ${refusalText}`)
    case 'key':
      return reason('model_refused', `The server refused ${requests}: ${refusalText}. ${keyAdvice(access)}`)
    default:
      return reason('model_refused', `The server refused ${requests}: ${refusalText}`)
  }
}

const keyAdvice = ({ keyVariable = 'the key', hasKey }: AccessFailure): string =>
  hasKey === true ? `Check ${keyVariable}` : `Set ${keyVariable}`
