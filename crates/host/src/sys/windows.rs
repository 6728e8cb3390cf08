//! The Windows API behind safe functions.
//!
//! Each function wraps the API call of its name and converts a failure to an `io::Error`.

use std::ffi::OsString;
use std::io;
use std::mem::{size_of, zeroed};
use std::os::windows::ffi::OsStringExt;
use std::os::windows::io::{AsRawHandle, FromRawHandle, OwnedHandle};
use std::path::PathBuf;
use std::ptr::null_mut;

use windows_sys::Wdk::System::SystemServices::RtlGetVersion;
use windows_sys::Win32::Foundation::{FILETIME, HANDLE, INVALID_HANDLE_VALUE, STILL_ACTIVE};
use windows_sys::Win32::Security::{
    GetLengthSid, GetTokenInformation, TOKEN_ELEVATION, TOKEN_INFORMATION_CLASS, TOKEN_QUERY, TOKEN_USER,
    TokenElevation, TokenUser,
};
use windows_sys::Win32::System::Diagnostics::ToolHelp::{
    CreateToolhelp32Snapshot, PROCESSENTRY32W, Process32FirstW, Process32NextW, TH32CS_SNAPPROCESS,
};
use windows_sys::Win32::System::SystemInformation::{GetTickCount64, OSVERSIONINFOW};
use windows_sys::Win32::System::Threading::{
    GetExitCodeProcess, GetProcessTimes, OpenProcess, OpenProcessToken, PROCESS_QUERY_LIMITED_INFORMATION,
    PROCESS_TERMINATE, QueryFullProcessImageNameW, TerminateProcess,
};
use windows_sys::Win32::UI::WindowsAndMessaging::{
    FindWindowExW, GetWindowThreadProcessId, PostMessageW, WM_CLOSE,
};

/// The longest path on Windows, in UTF-16 units.
const MAX_PATH_UNITS: u32 = 32_768;
/// Windows examined.
const MAX_WINDOWS: usize = 65_536;
/// The exit code of a process that was killed.
const KILLED: u32 = 1;

/// A process in a snapshot.
pub(crate) struct SnapshotEntry {
    pub(crate) pid: u32,
    pub(crate) parent: u32,
    pub(crate) name: String,
}

/// All processes at one moment.
pub(crate) fn snapshot() -> io::Result<Vec<SnapshotEntry>> {
    // SAFETY: no pointer is passed; the result is checked before it is used.
    let raw = unsafe { CreateToolhelp32Snapshot(TH32CS_SNAPPROCESS, 0) };
    if raw == INVALID_HANDLE_VALUE {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the handle is valid, was just made for us and is closed by nobody else.
    let snapshot = unsafe { OwnedHandle::from_raw_handle(raw) };

    // SAFETY: a structure of integers, for which all zero bytes are a value.
    let mut entry: PROCESSENTRY32W = unsafe { zeroed() };
    entry.dwSize = size_of::<PROCESSENTRY32W>() as u32;
    let mut entries = Vec::new();
    // SAFETY: the handle is a process snapshot and the entry says its own size.
    let mut more = unsafe { Process32FirstW(snapshot.as_raw_handle(), &raw mut entry) };
    while more != 0 {
        let end = entry.szExeFile.iter().position(|&unit| unit == 0);
        let name = &entry.szExeFile[..end.unwrap_or(entry.szExeFile.len())];
        entries.push(SnapshotEntry {
            pid: entry.th32ProcessID,
            parent: entry.th32ParentProcessID,
            name: String::from_utf16_lossy(name),
        });
        // SAFETY: as for the first entry.
        more = unsafe { Process32NextW(snapshot.as_raw_handle(), &raw mut entry) };
    }
    Ok(entries)
}

/// The purpose of a process handle.
#[derive(Clone, Copy)]
pub(crate) enum Access {
    /// To ask about the process.
    Query,
    /// To ask and to end it.
    Terminate,
}

/// A handle to a process.
pub(crate) struct Process(OwnedHandle);

impl Process {
    /// Opens the process with this number.
    pub(crate) fn open(pid: u32, access: Access) -> io::Result<Self> {
        let rights = match access {
            Access::Query => PROCESS_QUERY_LIMITED_INFORMATION,
            Access::Terminate => PROCESS_QUERY_LIMITED_INFORMATION | PROCESS_TERMINATE,
        };
        // SAFETY: no pointer is passed; the result is checked before it is used.
        let raw = unsafe { OpenProcess(rights, 0, pid) };
        if raw.is_null() {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: the handle is valid, was just made for us and is closed by nobody else.
        Ok(Self(unsafe { OwnedHandle::from_raw_handle(raw) }))
    }

    /// The start time in units of 100 ns.
    pub(crate) fn start(&self) -> io::Result<u64> {
        // SAFETY: structures of integers, for which all zero bytes are a value.
        let mut times: [FILETIME; 4] = unsafe { zeroed() };
        let [start, exit, kernel, user] = &mut times;
        // SAFETY: the handle is open and the four places are ours for the call.
        check(unsafe { GetProcessTimes(self.raw(), start, exit, kernel, user) })?;
        Ok(u64::from(start.dwHighDateTime) << 32 | u64::from(start.dwLowDateTime))
    }

    /// Whether it has ended; an ended process exists as long as a handle to it is open.
    pub(crate) fn has_ended(&self) -> bool {
        let mut code = 0;
        // SAFETY: the handle is open and the place is ours for the call.
        let known = unsafe { GetExitCodeProcess(self.raw(), &raw mut code) } != 0;
        known && code != STILL_ACTIVE as u32
    }

    /// The full path of its executable.
    pub(crate) fn image(&self) -> io::Result<PathBuf> {
        let mut units = vec![0_u16; MAX_PATH_UNITS as usize];
        let mut length = MAX_PATH_UNITS;
        // SAFETY: the buffer has room for `length` units, and the call says how many it wrote.
        check(unsafe { QueryFullProcessImageNameW(self.raw(), 0, units.as_mut_ptr(), &raw mut length) })?;
        units.truncate(length as usize);
        Ok(OsString::from_wide(&units).into())
    }

    /// The security identifier of the account it runs as, for comparing.
    pub(crate) fn user(&self) -> io::Result<Vec<u8>> {
        let answer = self.token(TokenUser)?;
        // SAFETY: the answer to `TokenUser` begins with a TOKEN_USER and is aligned for it; its
        // identifier points into the same answer and says its own length.
        unsafe {
            let sid = (*answer.as_ptr().cast::<TOKEN_USER>()).User.Sid;
            let length = GetLengthSid(sid) as usize;
            Ok(std::slice::from_raw_parts(sid.cast::<u8>(), length).to_vec())
        }
    }

    /// Whether it runs with full administrator rights.
    pub(crate) fn is_elevated(&self) -> io::Result<bool> {
        let answer = self.token(TokenElevation)?;
        // SAFETY: the answer to `TokenElevation` is a TOKEN_ELEVATION and is aligned for it.
        let elevation = unsafe { *answer.as_ptr().cast::<TOKEN_ELEVATION>() };
        Ok(elevation.TokenIsElevated != 0)
    }

    /// Terminates it immediately.
    pub(crate) fn terminate(&self) -> io::Result<()> {
        // SAFETY: the handle is open; no pointer is passed.
        check(unsafe { TerminateProcess(self.raw(), KILLED) })
    }

    /// Queries its access token; the result is aligned for every information class.
    fn token(&self, what: TOKEN_INFORMATION_CLASS) -> io::Result<Vec<u64>> {
        let mut raw: HANDLE = null_mut();
        // SAFETY: the handle is open and the place is ours for the call.
        check(unsafe { OpenProcessToken(self.raw(), TOKEN_QUERY, &raw mut raw) })?;
        // SAFETY: the handle is valid, was just made for us and is closed by nobody else.
        let token = unsafe { OwnedHandle::from_raw_handle(raw) };

        // An account with its longest identifier takes 84 bytes.
        let mut answer = vec![0_u64; 32];
        let (room, mut length) = ((answer.len() * size_of::<u64>()) as u32, 0);
        // SAFETY: the buffer has as many bytes as `room` says.
        check(unsafe {
            GetTokenInformation(
                token.as_raw_handle(),
                what,
                answer.as_mut_ptr().cast(),
                room,
                &raw mut length,
            )
        })?;
        Ok(answer)
    }

    fn raw(&self) -> HANDLE {
        self.0.as_raw_handle()
    }
}

/// Asks every window of a process to close and returns their number.
pub(crate) fn close_windows(pid: u32) -> usize {
    let mut closing = 0;
    let mut window = null_mut();
    for _ in 0..MAX_WINDOWS {
        // SAFETY: a window that has gone makes the call fail; no text is passed.
        window = unsafe { FindWindowExW(null_mut(), window, std::ptr::null(), std::ptr::null()) };
        if window.is_null() {
            break;
        }
        let mut owner = 0;
        // SAFETY: the place is ours for the call; a window that has gone leaves it zero.
        unsafe { GetWindowThreadProcessId(window, &raw mut owner) };
        // SAFETY: the message carries no pointer, and is only put in the window's queue.
        if owner == pid && unsafe { PostMessageW(window, WM_CLOSE, 0, 0) } != 0 {
            closing += 1;
        }
    }
    closing
}

/// Milliseconds since the machine started.
pub(crate) fn up_ms() -> u64 {
    // SAFETY: takes nothing and cannot fail.
    unsafe { GetTickCount64() }
}

/// The version of Windows. `GetVersionExW` would give that of the manifest.
pub(crate) fn os_version() -> io::Result<String> {
    // SAFETY: a structure of numbers and an array of numbers, for which zero is valid.
    let mut version: OSVERSIONINFOW = unsafe { zeroed() };
    version.dwOSVersionInfoSize = size_of::<OSVERSIONINFOW>() as u32;
    // SAFETY: the structure is ours for the call and carries its size.
    let status = unsafe { RtlGetVersion(&raw mut version) };
    if status < 0 {
        return Err(io::Error::other(format!("RtlGetVersion failed with status {status:#x}")));
    }
    let OSVERSIONINFOW { dwMajorVersion, dwMinorVersion, dwBuildNumber, .. } = version;
    Ok(format!("{dwMajorVersion}.{dwMinorVersion}.{dwBuildNumber}"))
}

/// This process.
pub(crate) fn this_process() -> io::Result<Process> {
    Process::open(std::process::id(), Access::Query)
}

fn check(done: i32) -> io::Result<()> {
    if done == 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}
