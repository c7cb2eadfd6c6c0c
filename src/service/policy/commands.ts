/** Checks the commands that a job would start. */
import { allowedPath } from './allowed-path.js'
import { formatClientValue, type JobPolicy, type Surroundings } from './job-policy.js'

/** Checks a command of a job. Even if commands are allowed, the paths among its words must be allowed. Programs on the PATH have no path. */
export async function commandProblems(
  key: string,
  text: string,
  policy: JobPolicy,
  surroundings: Surroundings,
): Promise<readonly string[]> {
  if (!policy.allowCommands)
    return [`${key}: ${formatClientValue(text)} would be run on this server, which needs --allow-commands`]
  const paths = text.split(/[\s="']+/).filter(word => /^[/~\\]|(^|[\\/])\.\.?([\\/]|$)/.test(word))
  const checked = await Promise.all(paths.map(path => allowedPath(key, path, policy, surroundings)))
  return checked.flatMap(result => ('problem' in result ? [result.problem] : []))
}
