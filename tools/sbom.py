"""The bill of materials of a build, as CycloneDX JSON: sbom.py BUILD_FOLDER > orrery.cdx.json

Components are the libraries that the built programs load (with the Debian package they come from, where dpkg knows it),
and the packages of the explorer that are compiled into the server. The same build gives the same bytes: the time is
SOURCE_DATE_EPOCH or that of the last commit.
"""
import datetime
import hashlib
import json
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def run(*command):
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    return result.stdout if result.returncode == 0 else ""


def sha256(path):
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


def version():
    with open(os.path.join(ROOT, "include", "orrery.h"), encoding="utf-8") as header:
        return re.search(r'^#define ORR_VERSION "(.*)"$', header.read(), re.M).group(1)


def package_of(path):
    """Debian package and version of a library; merged folders have two names."""
    for name in (path, path.replace("/usr/lib/", "/lib/", 1), "/usr" + path):
        owner = run("dpkg-query", "-S", name).split(":")[0].split(",")[0]
        if owner:
            return owner, run("dpkg-query", "-W", "-f", "${Version}\\n", owner).splitlines()[0]
    return None, None


def libraries(programs):
    found = {}
    for program in programs:
        for line in run("ldd", program).splitlines():
            match = re.match(r"\s*(\S+) => (/\S+)", line)
            if match and "liborrery" not in match.group(1):
                found[match.group(1)] = os.path.realpath(match.group(2))
    for name, path in sorted(found.items()):
        package, number = package_of(path)
        component = {"type": "library", "bom-ref": name, "name": package or name, "version": number or "unknown",
                     "scope": "required", "hashes": [{"alg": "SHA-256", "content": sha256(path)}],
                     "properties": [{"name": "orrery:soname", "value": name}]}
        if package:
            component["purl"] = f"pkg:deb/debian/{package}@{number}"
        yield component


def page_packages():
    """Packages of npm whose code is in the explorer; empty if it was not built."""
    lock = os.path.join(ROOT, "web", "package-lock.json")
    if not os.path.exists(os.path.join(ROOT, "web", "dist")) or not os.path.exists(lock):
        return
    with open(lock, encoding="utf-8") as file:
        packages = json.load(file)["packages"]
    for path, entry in sorted(packages.items()):
        name = path.split("node_modules/")[-1]
        if path and not entry.get("dev"):
            yield {"type": "library", "bom-ref": f"npm:{name}", "name": name, "version": entry["version"],
                   "scope": "required", "purl": f"pkg:npm/{name.replace('@', '%40')}@{entry['version']}"}


def main():
    build = sys.argv[1]
    programs = [os.path.join(build, name) for name in ("orrery", "orrery-mpi") if os.path.exists(os.path.join(build, name))]
    if not programs:
        sys.exit(f"sbom.py: {build} holds no orrery")
    when = os.environ.get("SOURCE_DATE_EPOCH") or run("git", "-C", ROOT, "log", "-1", "--format=%ct").strip() or "0"
    parts = [*libraries(programs), *page_packages()]
    digest = hashlib.sha256(json.dumps(parts, sort_keys=True).encode() + sha256(programs[0]).encode()).hexdigest()
    serial = "-".join((digest[:8], digest[8:12], "5" + digest[13:16], "8" + digest[17:20], digest[20:32]))
    document = {
        "bomFormat": "CycloneDX", "specVersion": "1.4", "serialNumber": f"urn:uuid:{serial}", "version": 1,
        "metadata": {
            "timestamp": datetime.datetime.fromtimestamp(int(when), datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
            "component": {"type": "application", "bom-ref": "orrery", "name": "orrery", "version": version(),
                          "licenses": [{"license": {"id": "Apache-2.0"}}],
                          "hashes": [{"alg": "SHA-256", "content": sha256(programs[0])}]}},
        "components": parts,
        "dependencies": [{"ref": "orrery", "dependsOn": [part["bom-ref"] for part in parts]}]}
    json.dump(document, sys.stdout, indent=1)
    print()


main()
