/** The names in a certificate, read byte by byte: one signer, one issuer, nothing decoded away. */
import { isLeft } from '../../../src/contract/fp.js';
import { type Extension, namesOf } from '../../../src/packages/signatures/certificate-names.js';
import { assert, suite } from '../../support/harness.js';

const test = suite('certificate names');
const der = (tag: number, content: Uint8Array | string): Buffer => {
  const bytes = Buffer.from(content as Uint8Array);
  const length =
    bytes.length < 0x80
      ? [bytes.length]
      : bytes.length < 0x100
        ? [0x81, bytes.length]
        : [0x82, bytes.length >> 8, bytes.length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...length]), bytes]);
};
const extension = (oid: string, value: Uint8Array): Extension => ({ oid: { id: oid.split('.').map(Number) }, value });
const purpose = extension('2.5.29.37', der(0x30, Buffer.from('06082b06010505070303', 'hex')));
const names = (...entries: Buffer[]) => extension('2.5.29.17', der(0x30, Buffer.concat(entries)));
const uri = (text: string) => der(0x86, Buffer.from(text, 'latin1'));
const issuer = (text: string) => extension('1.3.6.1.4.1.57264.1.8', der(0x0c, text));
const issuerV1 = (text: string) => extension('1.3.6.1.4.1.57264.1.1', Buffer.from(text));
const of = (...extensions: Extension[]) => namesOf([purpose, ...extensions]);
const refused = (...extensions: Extension[]) => assert.ok(isLeft(of(...extensions)));

test('a URI or an e-mail address with its issuer is read, in the new form of the issuer and in the old one', () => {
  const long = `https://a.test/${'x'.repeat(300)}`;
  assert.equal(of(names(uri(long)), issuer('https://i.test')), {
    _tag: 'Right',
    right: { identity: long, issuer: 'https://i.test' },
  });
  assert.equal(of(names(der(0x81, 'a@b.test')), issuerV1('https://i.test')), {
    _tag: 'Right',
    right: { identity: 'a@b.test', issuer: 'https://i.test' },
  });
  // The new form counts where both are there.
  assert.equal(of(names(uri('https://a.test')), issuerV1('https://other.test'), issuer('https://i.test')), {
    _tag: 'Right',
    right: { identity: 'https://a.test', issuer: 'https://i.test' },
  });
});

test('more than one name, none, or one of another kind is refused', () => {
  refused(names(uri('https://a.test'), uri('https://b.test')), issuer('https://i.test'));
  refused(names(uri('https://a.test'), der(0x81, 'a@b.test')), issuer('https://i.test'));
  refused(names(), issuer('https://i.test'));
  refused(names(der(0x82, 'a.test')), issuer('https://i.test'));
  refused(issuer('https://i.test'));
  refused(names(uri('https://a.test')), names(uri('https://a.test')), issuer('https://i.test'));
});

test('a byte that a lax reader would drop or cut at is refused', () => {
  refused(names(uri('https://\xe1.test')), issuer('https://i.test'));
  refused(names(uri('https://a.test\0.evil.test')), issuer('https://i.test'));
  refused(names(uri('https://a.test\n')), issuer('https://i.test'));
  refused(names(uri('')), issuer('https://i.test'));
  refused(names(uri('https://a.test')), issuer('https://\u00e9.test'));
  refused(names(uri('https://a.test')), issuer(''));
});

test('no issuer, two of them, or one with bytes behind it is refused', () => {
  const named = names(uri('https://a.test'));
  refused(named);
  refused(named, issuer('https://i.test'), issuer('https://j.test'));
  refused(named, extension('1.3.6.1.4.1.57264.1.8', Buffer.concat([der(0x0c, 'https://i.test'), Buffer.from('x')])));
  refused(named, extension('1.3.6.1.4.1.57264.1.8', Buffer.from([0x0c, 0x84, 0, 0, 0, 1, 0x61])));
  refused(named, issuerV1('https://i.test'), extension('1.3.6.1.4.1.57264.1.8', der(0x13, 'https://i.test')));
});

test('a certificate that is not for signing code is refused', () => {
  const rest = [names(uri('https://a.test')), issuer('https://i.test')];
  assert.ok(isLeft(namesOf(rest)));
  const server = extension('2.5.29.37', der(0x30, Buffer.from('06082b06010505070301', 'hex')));
  assert.ok(isLeft(namesOf([server, ...rest])));
  assert.ok(isLeft(namesOf([])));
});

test.run();
