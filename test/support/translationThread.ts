// What a thread of a `Translator` runs in unit tests; in the product, it runs the file of the proxy process.
import { serveTranslation } from '../../src/proxy/dialects/translationThread.ts';

serveTranslation();
