import { describe, expect, test } from 'vitest'
import { addressProblem } from '../../../../src/service/policy/allowed-address.js'

const policy = {
  allowUrls: ['https://models.example', 'https://gateway.example:8443/team-a/v1/', 'http://127.0.0.1:8000'],
}
const problem = (text: string): string | undefined => addressProblem('webhook', text, policy)

describe('addressProblem accepts', () => {
  test.each([
    'https://models.example',
    'https://models.example/v1/chat',
    'https://models.example:443/v1',
    'HTTPS://MODELS.example/v1',
    'https://models.example/v1?api-version=2024-10-21',
    'https://gateway.example:8443/team-a/v1',
    'https://gateway.example:8443/team-a/v1/chat',
    'http://127.0.0.1:8000/v1',
  ])('%s', text => {
    expect(problem(text)).toBeUndefined()
  })

  test('a decimal or octal spelling of an allowed address', () => {
    expect(problem('http://2130706433:8000/v1')).toBeUndefined()
    expect(problem('http://0177.1:8000/v1')).toBeUndefined()
  })
})

describe('addressProblem rejects', () => {
  test.each([
    ['another host', 'https://evil.example/v1'],
    ['a host that begins like an allowed one', 'https://models.example.evil.com/v1'],
    ['a host that ends like an allowed one', 'https://evil-models.example/v1'],
    ['a part of an allowed host', 'https://models.exampl'],
    ['a subdomain', 'https://a.models.example'],
    ['a user that looks like the host', 'https://models.example@evil.example/v1'],
    ['a user and password', 'https://user:pass@models.example/v1'],
    ['an empty user', 'https://@models.example/v1'],
    ['a user with an encoded slash', 'https://models.example%2f@evil.example/'],
    ['a backslash before the host', 'https://evil.example\\@models.example/'],
    ['backslashes as slashes', 'https:\\\\models.example\\v1'],
    ['a backslash after the host', 'https://models.example\\.evil.example/'],
    ['another port', 'https://models.example:8443/v1'],
    ['another scheme', 'http://models.example/v1'],
    ['a trailing dot', 'https://models.example./v1'],
    ['no scheme', 'models.example/v1'],
    ['no scheme, with slashes', '//models.example/v1'],
    ['a scheme without slashes', 'https:models.example/v1'],
    ['one slash', 'https:/models.example/v1'],
    ['three slashes', 'https:///models.example/v1'],
    ['a file', 'file:///etc/passwd'],
    ['a socket', 'unix:/var/run/docker.sock'],
    ['data', 'data:text/plain,x'],
    ['a blob of an allowed origin', 'blob:https://models.example/v1'],
    ['a fragment', 'https://models.example/v1#@evil.example'],
    ['a tab in the host, which parsers drop', 'https://models\t.example/v1'],
    ['a line break', 'https://models.example/v1\r\nhost: evil'],
    ['a leading space', ' https://models.example/v1'],
    ['a null character', 'https://models.example\0.evil.example'],
    ['a soft hyphen, which parsers drop', 'https://models\u00ad.example/v1'],
    ['a decimal spelling of another port', 'http://2130706433:8001'],
    ['the metadata service', 'http://169.254.169.254/latest/meta-data'],
    ['loopback over IPv6', 'http://[::1]:8000/v1'],
    ['loopback as mapped IPv4', 'http://[::ffff:127.0.0.1]:8000/v1'],
    ['another name of the same host', 'http://localhost:8000/v1'],
    ['another path', 'https://gateway.example:8443/team-b/v1'],
    ['a path that begins like the allowed one', 'https://gateway.example:8443/team-a/v10'],
    ['a shorter path', 'https://gateway.example:8443/team-a'],
    ['steps out of the path', 'https://gateway.example:8443/team-a/v1/../../team-b'],
    ['encoded steps out of the path', 'https://gateway.example:8443/team-a/v1/%2e%2e/%2E%2e/team-b'],
    ['an encoded slash', 'https://gateway.example:8443/team-a/v1/..%2f..%2fteam-b'],
    ['an encoded backslash', 'https://gateway.example:8443/team-a/v1/..%5cteam-b'],
    ['a doubly encoded step', 'https://gateway.example:8443/team-a/v1/%252e%252e/team-b'],
    ['a key in the query', 'https://models.example/v1?api_key=abc'],
    ['a signature in the query', 'https://models.example/v1?sig=abc'],
    ['a word', 'none'],
    ['nothing', ''],
  ])('%s: %j', (_, text) => {
    expect(problem(text)).toMatch(/^webhook: /)
  })

  test('everything if no address is allowed, or the allowed one is invalid', () => {
    for (const allowUrls of [[], ['models.example'], ['file:///'], ['*'], ['']])
      expect(addressProblem('k', 'https://models.example/v1', { allowUrls })).toBe(
        'k: "https://models.example/v1" is not an address that this server allows (--allow-url)',
      )
  })

  test('addresses without showing a password or control characters', () => {
    expect(problem('https://user:hunter2@models.example/v1')).not.toMatch(/hunter2/)
    expect(problem('https://models.example/\u001b[31m\u202e\r\n')).toMatch(/^[ -~]*$/)
  })
})
