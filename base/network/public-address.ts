/** Distinguishes public internet addresses from addresses of this machine and of private networks. */
import { BlockList, isIP } from 'node:net'

/** IPv4 networks that are not public: the IANA IPv4 Special-Purpose Address Registry, and multicast. */
const ownV4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.31.196.0/24',
  '192.52.193.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '192.175.48.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
]

/** Networks within 2000::/3, the public part of IPv6, that are not public: protocol assignments and Teredo, documentation, 6to4. */
const ownV6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20', '2620:4f:8000::/48']

const makeBlockList = (networks: readonly string[], type: 'ipv4' | 'ipv6'): BlockList => {
  const list = new BlockList()
  for (const network of networks) {
    const [address = '', bits = ''] = network.split('/')
    list.addSubnet(address, Number(bits), type)
  }
  return list
}

const privateV4 = makeBlockList(ownV4, 'ipv4')
const privateV6 = makeBlockList(ownV6, 'ipv6')
const globalV6 = makeBlockList(['2000::/3'], 'ipv6')

/**
 * Tells whether an IP address is reachable over the public internet. Loopback, private, link-local (169.254.169.254 is the metadata service of
 * clouds), shared (100.64.0.0/10), multicast and reserved addresses are not. IPv6 addresses that contain an IPv4 address (`::ffff:10.0.0.1`,
 * `64:ff9b::/96`, 6to4) do not count either, because they are another spelling of the IPv4 address.
 *
 * @param address as a resolver returns it, without brackets; a zone (`fe80::1%eth0`) is allowed
 */
export function isPublicAddress(address: string): boolean {
  const family = isIP(address)
  if (family === 4) return !privateV4.check(address, 'ipv4')
  if (family !== 6 || address.includes('%')) return false
  return globalV6.check(address, 'ipv6') && !privateV6.check(address, 'ipv6')
}
