// An application below the gateway's folders that runs until it is stopped.
// Its process has a unique name, and is gone when `end` returns.
import { randomUUID } from "node:crypto";
import { chmod, copyFile, readdir, readlink, writeFile } from "node:fs/promises";
import { join } from "node:path";

export class App {
  private constructor(
    /** What is launched: a script that becomes the program. */
    readonly launchPath: string,
    /** The name of its process. */
    readonly process: string,
    private readonly program: string,
  ) {}

  static async make(folder: string): Promise<App> {
    const process = `an-app-${randomUUID().slice(0, 8)}`;
    const program = join(folder, process);
    await copyFile("/bin/sleep", program);
    const launchPath = join(folder, `${process}.sh`);
    await writeFile(launchPath, `#!/bin/sh\nexec '${program}' 300\n`);
    await chmod(launchPath, 0o755);
    return new App(launchPath, process, program);
  }

  /** Its registry entry. */
  entry(mode: string, agents: string[] = []): Record<string, unknown> {
    return { launch_path: this.launchPath, process_name: this.process, mode, allowed_agents: agents };
  }

  /** The processes of the program. */
  async pids(): Promise<number[]> {
    const numbers = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
    const programs = await Promise.all(numbers.map((pid) => readlink(`/proc/${pid}/exe`).catch(() => "")));
    return numbers.filter((_, index) => programs[index] === this.program).map(Number);
  }

  /** Ends what a test left running. */
  async end(): Promise<void> {
    for (const pid of await this.pids()) {
      try {
        process.kill(pid, "SIGKILL");
      } catch {
        // It ended by itself meanwhile.
      }
    }
  }
}
