// A reporter that says, for each test that failed, the one line that repeats it alone.
import path from 'node:path';

export default class Again {
  onBegin(config, suite) {
    this.suite = suite;
    this.folder = config.configFile ? path.dirname(config.configFile) : config.rootDir;
  }

  onEnd() {
    const failed = this.suite.allTests().filter((t) => t.outcome() === 'unexpected');
    if (failed.length === 0) return;
    console.log('\nEach again, with a trace in build/out/failures:');
    const lines = failed.map(({ location: { file, line } }) => `  make test-browser ARGS="${path.relative(this.folder, file)}:${line} --trace on"`);
    for (const line of new Set(lines)) console.log(line);
  }

  printsToStdio() { return false; }
}
