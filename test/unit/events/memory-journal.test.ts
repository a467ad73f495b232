import { memoryJournal } from '../../../src/events/memory-journal.js';
import { failingJournal } from '../../support/failing-journal.js';
import { failingContract, journalContract } from '../../support/journal-contract.js';
import { SAMPLE_CATALOGUE as catalogue } from '../../support/sample-events.js';

const dispose = async () => {};

journalContract({ name: 'memory', open: async () => memoryJournal({ catalogue }), dispose });
failingContract({ name: 'lost commit', open: async () => failingJournal({ catalogue }), dispose });
failingContract({ name: 'kept commit', open: async () => failingJournal({ catalogue }, { outcome: 'kept' }), dispose });
