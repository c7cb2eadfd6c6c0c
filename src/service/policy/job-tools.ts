/** Checks the tool servers of a job: command lines and addresses (`mcp`), and files of them (`tools`). */
import { PipelineError } from '../../../base/errors/errors.js'
import type { ToolServer } from '../../../stages/model/tools/tool-server.js'
import { isAddress, readToolServers, withoutSecretParts } from '../../config/values/tool-servers.js'
import { addressProblem } from './allowed-address.js'
import { allowedPath } from './allowed-path.js'
import { commandProblems } from './commands.js'
import { formatClientValue, type CheckedJob, type JobPolicy, type Surroundings } from './job-policy.js'

/** Finds the problems of a job's tool servers. */
export async function toolProblems(
  job: CheckedJob['job'],
  policy: JobPolicy,
  surroundings: Surroundings,
): Promise<readonly string[]> {
  const { mcp = [], tools } = job
  const lines = (Array.isArray(mcp) ? mcp : [mcp]).filter((line): line is string => typeof line === 'string')
  const problems = await Promise.all(lines.map(line => lineProblems(line, policy, surroundings)))
  return [
    ...problems.flat(),
    ...(await pathProblems(job, policy, surroundings)),
    ...(typeof tools === 'string' ? await fileProblems(tools, policy, surroundings) : []),
  ]
}

async function lineProblems(line: string, policy: JobPolicy, surroundings: Surroundings): Promise<readonly string[]> {
  if (isAddress(line)) return [addressProblem('mcp', line.trim(), policy) ?? []].flat()
  // The line itself is not shown: it holds a secret.
  if (withoutSecretParts(line) !== line)
    return [
      'mcp: a command line must not hold a secret, since jobs are stored; it reaches variables of the server as ${NAME}',
    ]
  return commandProblems('mcp', line, policy, surroundings)
}

/** lmms-eval names the program of a tool server in an argument of the model. */
async function pathProblems(
  { model_args: args }: CheckedJob['job'],
  policy: JobPolicy,
  surroundings: Surroundings,
): Promise<readonly string[]> {
  const path: unknown = typeof args === 'object' && args !== null ? Reflect.get(args, 'mcp_server_path') : undefined
  if (path === undefined) return []
  const key = 'model_args.mcp_server_path'
  if (typeof path !== 'string') return [`${key}: expected a path`]
  const asCommand = await commandProblems(key, path, policy, surroundings)
  if (asCommand.length > 0) return asCommand
  const checked = await allowedPath(key, path, policy, surroundings)
  return 'problem' in checked ? [checked.problem] : []
}

async function fileProblems(file: string, policy: JobPolicy, surroundings: Surroundings): Promise<readonly string[]> {
  const checked = await allowedPath('tools', file, policy, surroundings)
  // The path itself is refused with all others.
  if ('problem' in checked) return []
  const servers = serversIn(checked.path, surroundings)
  if (servers === undefined) return [`tools: ${formatClientValue(file)} is not read as a file of tool servers`]
  return servers.flatMap(server => {
    const key = `tools: the server ${formatClientValue(server.name)} of ${formatClientValue(file)}`
    if (server.type === 'stdio')
      return policy.allowCommands ? [] : [`${key} is a program on this server, which needs --allow-commands`]
    // Its address may hold values of the server's environment.
    return addressProblem('tools', server.url, policy) === undefined
      ? []
      : [`${key} has an address that this server does not allow (--allow-url)`]
  })
}

function serversIn(tools: string, { env }: Surroundings): readonly ToolServer[] | undefined {
  try {
    return readToolServers({ tools }, env)
  } catch (error) {
    // A more precise error would quote the file.
    if (error instanceof PipelineError) return undefined
    throw error
  }
}
