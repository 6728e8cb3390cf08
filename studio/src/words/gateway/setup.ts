// Chinese for the remarks of an installation. A missing remark does not compile.
import type { InstallRemark } from "../../generated/protocol";

export function setUpRemark(remark: InstallRemark): string {
  switch (remark.code) {
    case "not-on-path":
      return `网关的 PATH 中没有 ${remark.program}`;
    case "chosen-by-folder":
      return "该技能既不是内置的，也不是安装的：能写入其文件夹的人决定了安装什么";
    case "output-cut":
      return "程序输出的中间部分被略去";
  }
}
