"""Outputs of smartctl as text."""

from __future__ import annotations

BANNER = """smartctl 7.4 2023-08-01 r5530 [x86_64-linux-6.1.0-18-amd64] (local build)
Copyright (C) 2002-23, Bruce Allen, Christian Franke, www.smartmontools.org

"""

IDENTITY = """=== START OF INFORMATION SECTION ===
Model Family:     Harbor Quay (SMR)
Device Model:     HARBOR  HD4000QX-2
Serial Number:    HBQ40A17
LU WWN Device Id: 5 0a1b2c 3d4e5f607
Add. Product Id:  QUAY(tm)
Firmware Version: HQ07
User Capacity:    4,000,787,030,016 bytes [4.00 TB]
Sector Sizes:     512 bytes logical, 4096 bytes physical
Rotation Rate:    5400 rpm
Form Factor:      3.5 inches
TRIM Command:     Available
Device is:        In smartctl database 7.3/5528
ATA Version is:   ACS-3 T13/2161-D revision 5
SATA Version is:  SATA 3.1, 6.0 Gb/s (current: 3.0 Gb/s)
Local Time is:    Tue Mar  3 04:05:06 2026 UTC

==> WARNING: A firmware update for this drive may be available,
see the following web page:
https://harbor.example/firmware

SMART support is: Available - device has SMART capability.
SMART support is: Enabled
AAM feature is:   Unavailable
APM level is:     128 (minimum power consumption without standby)
Rd look-ahead is: Enabled
Write cache is:   Disabled
DSN feature is:   Unavailable
ATA Security is:  Disabled, frozen [SEC2]
Wt Cache Reorder: Unknown

"""

HEALTH = """=== START OF READ SMART DATA SECTION ===
SMART overall-health self-assessment test result: PASSED

General SMART Values:
Offline data collection status:  (0x82)\tOffline data collection activity
\t\t\t\t\twas completed without error.
\t\t\t\t\tAuto Offline Data Collection: Enabled.
Self-test execution status:      ( 121)\tThe previous self-test completed having
\t\t\t\t\tthe read element of the test failed.
Total time to complete Offline\x20
data collection: \t\t(  584) seconds.
Offline data collection
capabilities: \t\t\t (0x7b) SMART execute Offline immediate.
\t\t\t\t\tAuto Offline data collection on/off support.
\t\t\t\t\tSuspend Offline collection upon new
\t\t\t\t\tcommand.
\t\t\t\t\tOffline surface scan supported.
\t\t\t\t\tSelf-test supported.
\t\t\t\t\tConveyance Self-test supported.
\t\t\t\t\tSelective Self-test supported.
SMART capabilities:            (0x0003)\tSaves SMART data before entering
\t\t\t\t\tpower-saving mode.
\t\t\t\t\tSupports SMART auto save timer.
Error logging capability:        (0x01)\tError logging supported.
\t\t\t\t\tGeneral Purpose Logging supported.
Short self-test routine\x20
recommended polling time: \t (   1) minutes.
Extended self-test routine
recommended polling time: \t ( 471) minutes.
Conveyance self-test routine
recommended polling time: \t        Not Supported.
SCT capabilities: \t       (0x70b5)\tSCT Status supported.
\t\t\t\t\tSCT Feature Control supported.
\t\t\t\t\tSCT Data Table supported.

"""

TABLE = """SMART Attributes Data Structure revision number: 10
Vendor Specific SMART Attributes with Thresholds:
ID# ATTRIBUTE_NAME          FLAG     VALUE WORST THRESH TYPE      UPDATED  WHEN_FAILED RAW_VALUE
  1 Raw_Read_Error_Rate     0x000f   082   064   006    Pre-fail  Always       -       164528576
  5 Reallocated_Sector_Ct   0x0033   100   100   010    Pre-fail  Always       -       8
  9 Power_On_Hours          0x0032   077   077   000    Old_age   Always       -       20457 (114 21 0)
190 Airflow_Temperature_Cel 0x0022   069   044   040    Old_age   Always       -       31 (Min/Max 29/38)
194 Temperature_Celsius     0x0022   031   056   000    Old_age   Always       -       33 (0 18 0 0 0)
197 Current_Pending_Sector  0x0012   100   100   000    Old_age   Always       -       16
198 Offline_Uncorrectable   0x0010   100   100   000    Old_age   Offline      -       16
199 UDMA_CRC_Error_Count    0x003e   200   200   000    Old_age   Always       -       3
240 Head_Flying_Hours       0x0000   100   253   000    Old_age   Offline      -       18812h+55m+30.157s

"""

LOGS = """General Purpose Log Directory Version 1
SMART           Log Directory Version 1 [multi-sector log support]
Address    Access  R/W   Size  Description
0x00       GPL,SL  R/O      1  Log Directory
0x04       GPL,SL  R/O      8  Device Statistics log
0x11       GPL     R/O      1  SATA Phy Event Counters log
0xa8-0xb7  GPL,SL  VS       1  Device vendor specific log

SMART Extended Comprehensive Error Log Version: 1 (5 sectors)
Device Error Count: 2
\tCR     = Command Register
\tFEATR  = Features Register
\tCOUNT  = Count (was: Sector Count) Register
\tLBA_48 = Upper bytes of LBA High/Mid/Low Registers ]  ATA-8
\tLH     = LBA High (was: Cylinder High) Register    ]   LBA
\tLM     = LBA Mid (was: Cylinder Low) Register      ] Register
\tLL     = LBA Low (was: Sector Number) Register     ]
\tDV     = Device (was: Device/Head) Register
\tDC     = Device Control Register
\tER     = Error register
\tST     = Status register
Powered_Up_Time is measured from power on, and printed as
DDd+hh:mm:SS.sss where DD=days, hh=hours, mm=minutes,
SS=sec, and sss=millisec. It "wraps" after 49.710 days.

Error 2 [1] occurred at disk power-on lifetime: 20101 hours (837 days + 13 hours)
  When the command that caused the error occurred, the device was active or idle.

  After command completion occurred, registers were:
  ER -- ST COUNT  LBA_48  LH LM LL DV DC
  -- -- -- == -- == == == -- -- -- -- --
  40 -- 51 00 00 00 00 05 a1 b2 c3 40 00  Error: UNC at LBA = 0x05a1b2c3 = 94482115

  Commands leading to the command that caused the error were:
  CR FEATR COUNT  LBA_48  LH LM LL DV DC  Powered_Up_Time  Command/Feature_Name
  -- == -- == -- == == == -- -- -- -- --  ---------------  --------------------
  60 00 08 00 10 00 00 05 a1 b2 c0 40 00  1d+02:03:04.567  READ FPDMA QUEUED

Error 1 [0] log entry is empty
SMART Extended Self-test Log Version: 1 (1 sectors)
Num  Test_Description    Status                  Remaining  LifeTime(hours)  LBA_of_first_error
# 1  Extended offline    Completed: read failure       90%     20311         94482115
# 2  Short offline       Completed without error       00%     20299         -
1 of 1 failed self-tests are outdated by newer successful extended offline self-test # 9

SMART Selective self-test log data structure revision number 1
 SPAN  MIN_LBA  MAX_LBA  CURRENT_TEST_STATUS
    1        0        0  Not_testing
    2  1000000  2000000  Self_test_in_progress [90% left] (1000000-1065535)
65535  1000000  1065535  Read_scanning was completed without error
Selective self-test flags (0x0):
  After scanning selected spans, do NOT read-scan remainder of disk.
If Selective self-test is pending on power-up, resume after 0 minute delay.

SCT Status Version:                  3
SCT Version (vendor specific):       522 (0x020a)
Device State:                        Active (0)
Current Temperature:                    34 Celsius
Power Cycle Min/Max Temperature:     29/38 Celsius
Lifetime    Min/Max Temperature:     18/56 Celsius
Specified Max Operating Temperature:    60 Celsius
Under/Over Temperature Limit Count:   0/12
SMART Status:                        0xc24f (PASSED)
Vendor specific:
01 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00
00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00

SCT Temperature History Version:     2
Temperature Sampling Period:         1 minute
Temperature Logging Interval:        59 minutes
Min/Max recommended Temperature:      0/60 Celsius
Min/Max Temperature Limit:           -41/85 Celsius
Temperature History Size (Index):    128 (77)

Index    Estimated Time   Temperature Celsius
  78    2026-02-26 08:12    33  **************
 ...    ..( 40 skipped).    ..  **************
 119    2026-02-28 01:30     ?  -
 120    2026-02-28 02:29    34  ***************

SCT Error Recovery Control:
           Read:     70 (7.0 seconds)
          Write: Disabled

Device Statistics (GP Log 0x04)
Page  Offset Size        Value Flags Description
0x01  =====  =               =  ===  == General Statistics (rev 1) ==
0x01  0x008  4             112  ---  Lifetime Power-On Resets
0x01  0x010  4           20458  ---  Power-on Hours
0x04  =====  =               =  ===  == General Errors Statistics (rev 1) ==
0x04  0x008  4              16  N--  Number of Reported Uncorrectable Errors
0x05  =====  =               =  ===  == Temperature Statistics (rev 1) ==
0x05  0x008  1              33  ---  Current Temperature
0x05  0x010  1               -  N--  Average Short Term Temperature
                                |||_ C monitored condition met
                                ||__ D supports DSN
                                |___ N normalized value

Pending Defects log (GP Log 0x0c)
Index                LBA    Hours
    0           94482115    20101
    1           94482120        -

SATA Phy Event Counters (GP Log 0x11)
ID      Size     Value  Description
0x000a  2           14  Device-to-host register FISes sent due to a COMRESET
0x0001  2        65535+ Command failed due to ICRC error

Seagate FARM log (GP Log 0xa6) supported [try: -l farm]

"""

FULL = BANNER + IDENTITY + HEALTH + TABLE + LOGS

SAS = """smartctl 7.3 2022-02-28 r5338 [x86_64-linux-5.15.0] (local build)
Copyright (C) 2002-22, Bruce Allen, Christian Franke, www.smartmontools.org

=== START OF INFORMATION SECTION ===
Vendor:               HARBOR
Product:              HS1200  K10
Revision:             0A03
Compliance:           SPC-4
User Capacity:        1,200,243,695,616 bytes [1.20 TB]
Logical block size:   512 bytes
Physical block size:  4096 bytes
Formatted with type 2 protection
8 bytes of protection information per logical block
LU is fully provisioned
Rotation Rate:        10520 rpm
Form Factor:          2.5 inches
Logical Unit id:      0x5000a1b2c3d4e5f7
Serial number:        HS12K7700014A
Device type:          disk
Transport protocol:   SAS (SPL-4)
Local Time is:        Tue Mar  3 04:05:06 2026 UTC
SMART support is:     Available - device has SMART capability.
SMART support is:     Enabled
Temperature Warning:  Disabled or Not Supported
Read Cache is:        Enabled
Writeback Cache is:   Enabled

=== START OF READ SMART DATA SECTION ===
SMART Health Status: OK

Grown defects during certification <not available>
Total blocks reassigned during format = 0
Power on minutes since format = 4711
Current Drive Temperature:     41 C
Drive Trip Temperature:        60 C

Accumulated power on time, hours:minutes 31247:05 [1874825 minutes]
Manufactured in week 31 of year 2019
Specified cycle count over device lifetime:  10000
Accumulated start-stop cycles:  88
Elements in grown defect list: 7

Vendor (Seagate Cache) information
  Blocks sent to initiator = 3203335
  Blocks received from initiator = 1208933
  Blocks read from cache and sent to initiator = 55121
  Number of read and write commands whose size <= segment size = 99121
  Number of read and write commands whose size > segment size = 12

Vendor (Seagate/Hitachi) factory information
  number of hours powered up = 31247.08
  number of minutes until next internal SMART test = 38

Error counter log:
           Errors Corrected by           Total   Correction     Gigabytes    Total
               ECC          rereads/    errors   algorithm      processed    uncorrected
           fast | delayed   rewrites  corrected  invocations   [10^9 bytes]  errors
read:   1420015        3         0   1420018    1420018      88123.407           2
write:         0        0         1         1          1      40112,551           0
verify:     1007        0         0      1007       1007        912.118           1

Non-medium error count:       19

  Pending defect count:0 Pending Defects
SMART Self-test log
Num  Test              Status                 segment  LifeTime  LBA_first_err [SK ASC ASQ]
     Description                              number   (hours)
# 1  Background short  Completed                   -   31240                 - [-   -    -]
# 2  Background long   Failed in segment -->       3   30111          94482115 [0x3 0x11 0x0]

Long (extended) Self-test duration: 6815 seconds [113.6 minutes]

Background scan results log
  Status: waiting until BMS interval timer expires
    Accumulated power on time, hours:minutes 31247:05 [1874825 minutes]
    Number of background scans performed: 412,  scan progress: 0.00%
    Number of background medium scans performed: 412

   #  when        lba(hex)    [sk,asc,ascq]    reassign_status
   1  9912:44  0000000012ab34cd  [3,11,0]   Recovered via rewrite in-place

Protocol Specific port log page for SAS SSP
relative target port id = 1
  generation code = 0
  number of phys = 1
  phy identifier = 0
    attached device type: expander device
    attached reason: SMP phy control function
    reason: power on
    negotiated logical link rate: phy enabled; 12 Gbps
    attached initiator port: ssp=0 stp=0 smp=0
    attached target port: ssp=0 stp=0 smp=1
    SAS address = 0x5000a1b2c3d4e5f5
    attached SAS address = 0x500a0b0c0d0e0f3f
    attached phy identifier = 4
    Invalid DWORD count = 0
    Running disparity error count = 0
    Loss of DWORD synchronization count = 0
    Phy reset problem count = 0
    Phy event descriptors:
     Invalid word count: 0
     Received ERROR count: 3
     Peak transmitted arbitration wait time (us): 2
         Peak value detector threshold (us): 0
relative target port id = 2
  generation code = 0
  number of phys = 1
  phy identifier = 1
    attached device type: no device attached
    negotiated logical link rate: phy enabled; unknown rate

"""

NVME = """smartctl 7.4 2023-08-01 r5530 [x86_64-linux-6.1.0] (local build)
Copyright (C) 2002-23, Bruce Allen, Christian Franke, www.smartmontools.org

=== START OF INFORMATION SECTION ===
Model Number:                       QUARTZ Q980 1TB
Serial Number:                      QZ98A1004417
Firmware Version:                   4QAX21
PCI Vendor/Subsystem ID:            0x1d0f
IEEE OUI Identifier:                0x0a1b2c
Total NVM Capacity:                 1,000,204,886,016 [1.00 TB]
Unallocated NVM Capacity:           0
Controller ID:                      6
NVMe Version:                       1.4
Number of Namespaces:               1
Namespace 1 Size/Capacity:          960,197,124,096 [960 GB]
Namespace 1 Utilization:            112,004,415,488 [112 GB]
Namespace 1 Formatted LBA Size:     512
Namespace 1 IEEE EUI-64:            0a1b2c 4410a0b0c1
Local Time is:                      Tue Mar  3 04:05:06 2026 UTC
Firmware Updates (0x16):            3 Slots, no Reset required
Optional Admin Commands (0x0017):   Security Format Frmw_DL Self_Test
Optional NVM Commands (0x0057):     Comp Wr_Unc DS_Mngmt Sav/Sel_Feat Timestmp
Log Page Attributes (0x0f):         S/H_per_NS Cmd_Eff_Lg Ext_Get_Lg Telmtry_Lg
Maximum Data Transfer Size:         128 Pages
Warning  Comp. Temp. Threshold:     82 Celsius
Critical Comp. Temp. Threshold:     85 Celsius
Namespace 1 Features (0x10):        NP_Fields

Supported Power States
St Op     Max   Active     Idle   RL RT WL WT  Ent_Lat  Ex_Lat
 0 +     8.49W       -        -    0  0  0  0        0       0
 4 -   0.0050W       -        -    4  4  4  4      500    9500

Supported LBA Sizes (NSID 0x1)
Id Fmt  Data  Metadt  Rel_Perf
 0 +     512       0         0

=== START OF SMART DATA SECTION ===
SMART overall-health self-assessment test result: PASSED

SMART/Health Information (NVMe Log 0x02)
Critical Warning:                   0x00
Temperature:                        44 Celsius
Available Spare:                    100%
Available Spare Threshold:          10%
Percentage Used:                    3%
Data Units Read:                    21,336,112 [10.9 TB]
Data Units Written:                 30,112,547 [15.4 TB]
Host Read Commands:                 223,105,882
Host Write Commands:                401,229,004
Controller Busy Time:               1,204
Power Cycles:                       211
Power On Hours:                     12,088
Unsafe Shutdowns:                   31
Media and Data Integrity Errors:    5
Error Information Log Entries:      612
Warning  Comp. Temperature Time:    0
Critical Comp. Temperature Time:    0
Temperature Sensor 1:               44 Celsius
Thermal Temp. 1 Transition Count:   2

Error Information (NVMe Log 0x01, 16 of 64 entries)
Num   ErrCount  SQId   CmdId  Status  PELoc          LBA  NSID    VS  Message
  0        612     0  0x0008  0x4004      -            0     0     -  Invalid Field in Command
  - [3 unused entries]
... (48 entries not read)

Self-test Log (NVMe Log 0x06)
Self-test status: No self-test in progress
Num  Test_Description  Status                       Power_on_Hours  Failing_LBA  NSID Seg SCT Code
 0   Short             Completed: failed segments             12001     99441122     1   2 0x2 0x81

"""

NO_LOG = SAS.replace("Temperature:     41 C", "Temperature:     0 C").replace(
    "Temperature:        60 C", "Temperature:        0 C"
)
